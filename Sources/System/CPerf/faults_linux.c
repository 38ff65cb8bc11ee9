/* Three events: one that the kernel counts when it begins to handle a fault (arch/x86/mm/fault.c), and one each for
 * minor and major faults that it has handled (mm_account_fault in mm/memory.c). Each CPU has its own ring, which the
 * three events share: the kernel does not allow one ring for all CPUs if children inherit the event. The events belong
 * to the calling thread, stay off for it, and are enabled when a child that has inherited them calls exec.
 * <perf_event_open(2)> */
#if defined(__linux__)
#define _GNU_SOURCE
#include "cfaults.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The size of a ring in bytes. The kernel lets any user lock more than LEAST_RING_SIZE for each CPU. */
enum { MOST_RING_SIZE = 2 << 20, LEAST_RING_SIZE = 256 << 10 };

enum { EVENTS = 3 };
static const uint64_t configurations[EVENTS] = {
    PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ};
static const enum cfaults_kind kinds[EVENTS] = {CFAULTS_BEGIN, CFAULTS_MINOR, CFAULTS_MAJOR};

struct ring {
  int descriptors[EVENTS]; /* the descriptors of the events; the first event owns the ring */
  uint64_t identifiers[EVENTS];
  struct perf_event_mmap_page *page; /* the page with the ring's state, which its data follow */
  size_t size;                       /* the size of the ring's data */
};

struct cfaults {
  struct ring *rings;
  size_t ring_count;
  struct cfaults_event *events;
  size_t count, capacity;
  char *text; /* the paths of mappings, each with a NUL */
  size_t text_size, text_capacity;
  uint64_t lost;
};

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static int open_event(int cpu, int index, int ring) {
  struct perf_event_attr attributes = {
      .size = sizeof attributes,
      .type = PERF_TYPE_SOFTWARE,
      .config = configurations[index],
      .sample_period = 1,
      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
      .disabled = 1,
      .inherit = 1,
      .enable_on_exec = 1,
      .exclude_kernel = 1, /* as for other users, so that root gets the same figures */
      .exclude_hv = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC, /* timestamps are of the clock that measure_now reads */
      .sample_id_all = 1,
      .mmap = index == 0,
      .mmap_data = index == 0,
      .comm = index == 0,
      .comm_exec = index == 0,
      .task = index == 0,
  };
  int event = (int)syscall(SYS_perf_event_open, &attributes, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0 || ring < 0 || ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring) == 0) return event;
  int error = errno;
  close(event);
  errno = error;
  return -1;
}

static void close_ring(struct ring *ring) {
  if (ring->page) munmap(ring->page, ring->size + page_size());
  for (int i = 0; i < EVENTS; i++)
    if (ring->descriptors[i] >= 0) close(ring->descriptors[i]);
}

/* Opens the events and the ring of a CPU. After an error, nothing of RING stays open. */
static int open_ring(int cpu, struct ring *ring) {
  *ring = (struct ring){.descriptors = {-1, -1, -1}};
  int error = 0;
  for (int i = 0; i < EVENTS && !error; i++) {
    ring->descriptors[i] = open_event(cpu, i, i ? ring->descriptors[0] : -1);
    if (ring->descriptors[i] < 0 || ioctl(ring->descriptors[i], PERF_EVENT_IOC_ID, &ring->identifiers[i]) < 0)
      error = errno;
    if (i || error) continue;
    void *mapping = MAP_FAILED;
    for (ring->size = MOST_RING_SIZE; mapping == MAP_FAILED && ring->size >= LEAST_RING_SIZE;) {
      mapping = mmap(NULL, ring->size + page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptors[0], 0);
      if (mapping == MAP_FAILED) ring->size /= 2;
    }
    if (mapping == MAP_FAILED)
      error = errno;
    else
      ring->page = mapping;
  }
  if (error) close_ring(ring);
  return error;
}

int cfaults_open(struct cfaults **result) {
  *result = NULL;
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  struct cfaults *faults = calloc(1, sizeof *faults);
  if (faults && cpus > 0) faults->rings = calloc((size_t)cpus, sizeof *faults->rings);
  int error = faults && faults->rings ? 0 : ENOMEM;
  /* A hundred CPUs take more files than a process may usually open. */
  struct rlimit limit, raised;
  bool is_limited = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max;
  raised = (struct rlimit){limit.rlim_max, limit.rlim_max};
  if (is_limited) setrlimit(RLIMIT_NOFILE, &raised);
  for (int cpu = 0; !error && cpu < cpus; cpu++) {
    error = open_ring(cpu, &faults->rings[faults->ring_count]);
    if (!error) faults->ring_count++;
    if (error == ENODEV) error = 0; /* the CPU is switched off, so it has no ring */
  }
  if (is_limited) setrlimit(RLIMIT_NOFILE, &limit);
  if (error) {
    if (faults) cfaults_close(faults);
    return error == ENOSYS || error == ENOENT || error == EOPNOTSUPP ? ENOTSUP : error;
  }
  *result = faults;
  return 0;
}

void cfaults_close(struct cfaults *faults) {
  for (size_t i = 0; i < faults->ring_count; i++) close_ring(&faults->rings[i]);
  free(faults->rings);
  free(faults->events);
  free(faults->text);
  free(faults);
}

static int add_event(struct cfaults *faults, struct cfaults_event event) {
  if (faults->count == faults->capacity) {
    size_t capacity = faults->capacity ? 2 * faults->capacity : 4096;
    void *events = realloc(faults->events, capacity * sizeof *faults->events);
    if (!events) return ENOMEM;
    faults->events = events;
    faults->capacity = capacity;
  }
  faults->events[faults->count++] = event;
  return 0;
}

static int add_path(struct cfaults *faults, const char *path, size_t size, size_t *place) {
  if (faults->text_capacity - faults->text_size < size + 1) {
    size_t capacity = 2 * faults->text_capacity + size + 4096;
    char *text = realloc(faults->text, capacity);
    if (!text) return ENOMEM;
    faults->text = text;
    faults->text_capacity = capacity;
  }
  *place = faults->text_size;
  memcpy(faults->text + faults->text_size, path, size);
  faults->text[faults->text_size + size] = 0;
  faults->text_size += size + 1;
  return 0;
}

/* The kernel's records. It appends struct sample_id to all of them but samples (sample_id_all). */
struct sample_id {
  uint32_t process, thread;
  uint64_t time, identifier;
};
struct sample {
  struct perf_event_header header;
  uint64_t identifier, instruction;
  uint32_t process, thread;
  uint64_t time, address;
};
struct mapping {
  struct perf_event_header header;
  uint32_t process, thread;
  uint64_t address, length, offset;
  char path[]; /* the name is padded with NULs, and struct sample_id follows it */
};
struct task {
  struct perf_event_header header;
  uint32_t process, parent, thread, parent_thread;
  uint64_t time;
};
struct command {
  struct perf_event_header header;
  uint32_t process, thread;
};
struct lost {
  struct perf_event_header header;
  uint64_t id, count;
};

/* Reads a record of the kernel. RECORD has SIZE bytes, as its header states. */
static int take_record(struct cfaults *faults, const struct ring *ring, const char *record, size_t size) {
  struct perf_event_header header;
  struct sample_id id = {0};
  memcpy(&header, record, sizeof header);
  if (size >= sizeof header + sizeof id) memcpy(&id, record + size - sizeof id, sizeof id);
  struct cfaults_event event = {.time = id.time, .process = (int32_t)id.process, .thread = (int32_t)id.thread};
  if (header.type == PERF_RECORD_SAMPLE && size >= sizeof(struct sample)) {
    struct sample sample;
    memcpy(&sample, record, sizeof sample);
    event.time = sample.time;
    event.process = (int32_t)sample.process;
    event.thread = (int32_t)sample.thread;
    event.address = sample.address;
    event.instruction = sample.instruction;
    for (int i = 0; i < EVENTS; i++) {
      if (ring->identifiers[i] != sample.identifier) continue;
      event.kind = kinds[i];
      return add_event(faults, event);
    }
    return 0;
  }
  if (header.type == PERF_RECORD_MMAP && size > sizeof(struct mapping) + sizeof id) {
    struct mapping mapping;
    memcpy(&mapping, record, sizeof mapping);
    event.kind = CFAULTS_MAPPING;
    event.process = (int32_t)mapping.process;
    event.address = mapping.address;
    event.length = mapping.length;
    event.offset = mapping.offset;
    event.is_executable = !(header.misc & PERF_RECORD_MISC_MMAP_DATA);
    const char *path = record + sizeof mapping;
    size_t length = strnlen(path, size - sizeof mapping - sizeof id);
    int error = add_path(faults, path, length, &event.path);
    return error ? error : add_event(faults, event);
  }
  if (header.type == PERF_RECORD_FORK && size >= sizeof(struct task)) {
    struct task task;
    memcpy(&task, record, sizeof task);
    event.kind = CFAULTS_FORK;
    event.process = (int32_t)task.process;
    event.other = (int32_t)task.parent;
    return add_event(faults, event);
  }
  if (header.type == PERF_RECORD_COMM && header.misc & PERF_RECORD_MISC_COMM_EXEC &&
      size >= sizeof(struct command)) {
    struct command command;
    memcpy(&command, record, sizeof command);
    event.kind = CFAULTS_EXEC;
    event.process = (int32_t)command.process;
    return add_event(faults, event);
  }
  if (header.type == PERF_RECORD_LOST && size >= sizeof(struct lost)) {
    struct lost lost;
    memcpy(&lost, record, sizeof lost);
    faults->lost += lost.count;
  }
  return 0;
}

static int collect(struct cfaults *faults, struct ring *ring) {
  const char *data = (const char *)ring->page + page_size();
  /* acquire: pairs with the kernel's barrier between writing a record and writing the head */
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->page->data_tail; /* only this process writes the tail */
  int error = 0;
  static char record[1 << 16]; /* a header's size is 16 bits; records wrap at the ring's end */
  while (!error && tail < head) {
    struct perf_event_header header;
    memcpy(&header, data + tail % ring->size, sizeof header); /* a header is aligned to 8 bytes, so it never wraps */
    if (header.size < sizeof header) break;
    size_t first = ring->size - tail % ring->size;
    if (first > header.size) first = header.size;
    memcpy(record, data + tail % ring->size, first);
    memcpy(record + first, data, header.size - first);
    error = take_record(faults, ring, record, header.size);
    tail += header.size;
  }
  /* release: the kernel may overwrite the records only after we have read them */
  __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
  return error;
}

int cfaults_collect(struct cfaults *faults) {
  for (size_t i = 0; i < faults->ring_count; i++) {
    int error = collect(faults, &faults->rings[i]);
    if (error) return error;
  }
  return 0;
}

size_t cfaults_count(const struct cfaults *faults) { return faults->count; }
uint64_t cfaults_lost(const struct cfaults *faults) { return faults->lost; }
struct cfaults_event cfaults_at(const struct cfaults *faults, size_t index) {
  return faults->events[index];
}
const char *cfaults_path(const struct cfaults *faults, struct cfaults_event event) {
  return event.kind == CFAULTS_MAPPING ? faults->text + event.path : "";
}
#endif
