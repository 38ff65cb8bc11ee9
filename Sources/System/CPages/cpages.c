#include "cpages.h"

#include <errno.h>
#include <of_atomics.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform.h"

/* Swift's struct cpages is a struct orderfile_page_trace. */
static const struct orderfile_page_trace *of(const struct cpages *trace) {
  return (const struct orderfile_page_trace *)trace;
}

/* One record per page and kind of access: enough for 4 GiB of touched pages. Only written memory is used. */
enum { CAPACITY = 1 << 20 };

static const size_t size =
    sizeof(struct orderfile_page_trace) + CAPACITY * sizeof(struct orderfile_page_record);

static bool copy(char *to, size_t room, const char *from) {
  size_t length = strlen(from);
  if (length >= room) return false;
  memcpy(to, from, length + 1);
  return true;
}

int cpages_create(const char *images, const char *stop_mark, const char *stop_path,
                  uint64_t stop_distance, struct cpages **made, int *descriptor) {
  *descriptor = platform_anonymous_file(size);
  if (*descriptor < 0) return -*descriptor;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
  if (memory == MAP_FAILED) {
    int error = errno;
    close(*descriptor);
    return error;
  }
  *made = memory;
  struct orderfile_page_trace *trace = memory;
  trace->capacity = CAPACITY;
  trace->stop_distance = stop_distance;
  if (copy(trace->images, sizeof trace->images, images) &&
      copy(trace->stop_mark, sizeof trace->stop_mark, stop_mark) &&
      copy(trace->stop_path, sizeof trace->stop_path, stop_path))
    return 0;
  cpages_destroy(*made, *descriptor);
  return ENAMETOOLONG;
}

void cpages_set_stop_build(struct cpages *made, uint64_t device, uint64_t inode, const uint8_t *id,
                           uint32_t id_size, bool id_is_weak) {
  struct orderfile_page_image *image = &((struct orderfile_page_trace *)made)->stop_image;
  image->device = device;
  image->inode = inode;
  if (id_size > sizeof image->id) return; /* a longer ID is left out, and the tracer compares none */
  memcpy(image->id, id, id_size);
  image->id_size = id_size;
  image->id_is_weak = id_is_weak;
}

uint32_t cpages_image_id(const struct orderfile_page_image *image, uint8_t *id) {
  if (image->id_size > sizeof image->id) return 0;
  memcpy(id, image->id, image->id_size);
  return image->id_size;
}

int cpages_listen(const char *mark, bool stops_process, struct cpages **made, int *descriptor) {
  int error = cpages_create("", mark, "", 0, made, descriptor);
  if (!error) {
    struct orderfile_page_trace *trace = (struct orderfile_page_trace *)*made;
    trace->capacity = 0;
    trace->stops_process = stops_process;
  }
  return error;
}

uint32_t cpages_stopping_process(struct cpages *pages) {
  uint32_t process = of_load_relaxed(&of(pages)->stopped_process); /* relaxed: a flag */
  return process == UINT32_MAX ? 0 : process;
}

void cpages_destroy(struct cpages *trace, int descriptor) {
  munmap(trace, size);
  close(descriptor);
}

/* The bytes before the path that follows a record. */
static uint32_t head_size(const struct orderfile_page_record *record) {
  return record->kind == ORDERFILE_PAGE_IMAGE ? sizeof(struct orderfile_page_image) : 0;
}

static bool has_path(const struct orderfile_page_record *record) {
  return record->kind == ORDERFILE_PAGE_IMAGE || record->kind == ORDERFILE_PAGE_EXEC;
}

/* The number of records that hold what follows a record with a path. */
static uint32_t following_records(const struct orderfile_page_record *record) {
  uint32_t record_size = sizeof *record;
  return record->detail / record_size + (record->detail % record_size != 0);
}

/* The program may write to this memory until it ends, so the contents are not trusted. */
bool cpages_next(struct cpages *pages, uint32_t *place, struct orderfile_page_record *record) {
  const struct orderfile_page_trace *trace = of(pages);
  uint32_t end = of_load_relaxed(&trace->next); /* relaxed: the kind of a record shows whether it is complete */
  if (end > CAPACITY) end = CAPACITY;
  while (*place < end) {
    const struct orderfile_page_record *shared = &trace->records[(*place)++];
    /* acquire: pairs with the release in of_finish_page_record, after the fields */
    uint32_t kind = of_load_acquire(&shared->kind);
    if (kind < ORDERFILE_PAGE_TOUCH || kind > ORDERFILE_PAGE_EXEC_FAILED) continue;
    *record = *shared;
    record->kind = kind;
    if (!has_path(record)) return true;
    uint32_t room = (end - *place) * (uint32_t)sizeof *record;
    const char *text = (const char *)(shared + 1);
    if (record->detail <= head_size(record) || record->detail > room || text[record->detail - 1] != 0)
      continue;
    *place += following_records(record);
    return true;
  }
  return false;
}

/* The content that follows the record in the shared memory. */
static const char *after(struct cpages *pages, uint32_t place, const struct orderfile_page_record *record) {
  return (const char *)&of(pages)->records[place - following_records(record)];
}

bool cpages_path(struct cpages *pages, uint32_t place, const struct orderfile_page_record *record, char *path,
                 uint32_t room) {
  if (!has_path(record)) return false;
  uint32_t length = record->detail - head_size(record);
  if (length > room) return false;
  memcpy(path, after(pages, place, record) + head_size(record), length);
  path[length - 1] = 0; /* the program may have written to this byte since cpages_next */
  return true;
}

struct orderfile_page_image cpages_image(struct cpages *pages, uint32_t place,
                                         const struct orderfile_page_record *record) {
  struct orderfile_page_image image = {0};
  if (record->kind == ORDERFILE_PAGE_IMAGE) memcpy(&image, after(pages, place, record), sizeof image);
  return image;
}

void cpages_program(struct cpages *pages, char *path) {
  const struct orderfile_page_trace *trace = of(pages);
  _Static_assert(sizeof trace->program < CPAGES_PATH_SIZE, "the program's path fits");
  memcpy(path, trace->program, sizeof trace->program);
  path[sizeof trace->program] = 0;
}

uint32_t cpages_lost(struct cpages *pages) {
  const struct orderfile_page_trace *trace = of(pages);
  return trace->next > CAPACITY ? trace->next - CAPACITY : 0;
}

void cpages_stop(struct cpages *pages) {
  of_store_relaxed(&((struct orderfile_page_trace *)pages)->stopped, 1); /* relaxed: a flag */
}

bool cpages_was_stopped(struct cpages *pages) {
  return of_load_acquire(&of(pages)->stopped) != 0; /* acquire: pairs with the release in of_stop_at_mark */
}

enum orderfile_page_problem cpages_problem(struct cpages *pages, int *error) {
  const struct orderfile_page_trace *trace = of(pages);
  *error = trace->problem_detail;
  return (enum orderfile_page_problem)trace->problem;
}

bool cpages_unknown_call(struct cpages *pages, uint32_t *number, bool *is_later) {
  const struct orderfile_page_trace *trace = of(pages);
  if (!trace->unknown_call) return false;
  *number = trace->unknown_call - 1;
  *is_later = trace->unknown_is_later != 0;
  return true;
}

bool cpages_is_supported(void) { return platform_stops_own_calls(); }
