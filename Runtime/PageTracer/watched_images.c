/* Which pages of which images are watched, and what of their access is given back.
 *
 * Each page of a watched image has a byte: what protection it has by right, and what kinds of access have
 * been seen. What the page may do follows from it, so it does not matter which of two threads that come to
 * one page at once changes the protection last: at worst the other faults once more. The thread that sets
 * the bit of a kind writes the record, so there is one for each page and kind. */
#define _GNU_SOURCE
#include "tracer.h"

#if TRACER_IS_SUPPORTED
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

TRACER_BEGIN

enum {
  PAGE = 4096,
  MOST_IMAGES = 2048,
  /* The state of a page: the protection that it has by right, whether it is watched, and what was seen. */
  BY_RIGHT = PROT_READ | PROT_WRITE | PROT_EXEC,
  WATCHED = 8,
  SEEN_READ = 16,
  SEEN_WRITE = 32,
  SEEN_EXECUTE = 64,
};

struct image {
  uint64_t start, end; /* 0 if it is gone */
  uint8_t *pages;      /* their states; NULL if it is not to be watched */
  bool is_watched;     /* execution is withheld */
  bool has_begun;      /* an instruction of it has run: everything is withheld */
};

static struct image images[MOST_IMAGES];
static uint32_t image_count; /* stored when the image is complete */
static uint64_t stop_address;
static uint8_t stop_saved;
enum { HLT = 0xf4 }; /* faults in a program, and no other signal is needed for it */

/* One thread at a time looks at what is mapped. With all signals blocked, so it is not held for long; but a
 * child may be forked meanwhile, and in it nobody gives it back. */
static uint32_t lock_holder; /* a process, or 0 */

static void take_lock(void) {
  uint32_t self = (uint32_t)CALL_0(SYS_getpid);
  for (int patience = 10000;; patience--) {
    uint32_t holder = 0;
    if (__atomic_compare_exchange_n(&lock_holder, &holder, self, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return;
    if (patience < 0 && holder != self) {
      __atomic_store_n(&lock_holder, self, __ATOMIC_RELEASE);
      return;
    }
    CALL_0(SYS_sched_yield);
  }
}

static void release_lock(void) { __atomic_store_n(&lock_holder, 0, __ATOMIC_RELEASE); }

/* What a page in STATE may do now. */
static uint32_t allowed(uint8_t state, bool has_begun) {
  uint32_t by_right = state & BY_RIGHT;
  if (!(state & WATCHED)) return by_right;
  uint32_t given = 0;
  if (state & SEEN_READ) given |= PROT_READ;
  if (state & SEEN_WRITE) given |= PROT_READ | PROT_WRITE;
  if (state & SEEN_EXECUTE) given |= PROT_READ | PROT_EXEC;
  if (!has_begun) given |= PROT_READ | PROT_WRITE;
  return given & by_right;
}

static struct image *image_holding(uint64_t address) {
  uint32_t count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE); /* with what is in it */
  for (uint32_t i = count; i-- > 0;)
    if (images[i].pages && address >= images[i].start && address < images[i].end)
      return &images[i];
  return NULL;
}

static long protect(uint64_t start, uint64_t size, uint32_t protection) {
  return CALL_3(SYS_mprotect, start, size, protection);
}

/* Gives the pages of [FROM, TO) the protection that their states allow; those that are not watched keep
 * theirs. */
static void apply(struct image *image, uint64_t from, uint64_t to) {
  uint64_t run = from;
  while (run < to) {
    uint8_t state = image->pages[(run - image->start) / PAGE];
    uint64_t end = run + PAGE;
    if (!(state & WATCHED)) {
      run = end;
      continue;
    }
    uint32_t protection = allowed(state, image->has_begun);
    while (end < to) {
      uint8_t next = image->pages[(end - image->start) / PAGE];
      if (!(next & WATCHED) || allowed(next, image->has_begun) != protection) break;
      end += PAGE;
    }
    long error = protect(run, end - run, protection);
    if (error) trace_problem(ORDERFILE_PAGE_REFUSED, -error);
    run = end;
  }
}

/* A line of /proc/self/maps. */
struct mapping {
  uint64_t start, end, offset, device, inode;
  uint32_t protection;
  const char *path; /* ended by a line feed; NULL of memory without a file */
};

static uint64_t hexadecimal(const char **text, int base) {
  uint64_t value = 0;
  for (;; ++*text) {
    char c = **text;
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
    if (digit >= base) return value;
    value = value * (uint64_t)base + (uint64_t)digit;
  }
}

/* Parses `start-end rwxp offset major:minor inode   path`. */
static void parse(const char *line, struct mapping *mapping) {
  mapping->start = hexadecimal(&line, 16);
  line++;
  mapping->end = hexadecimal(&line, 16);
  line++;
  mapping->protection = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                        (line[2] == 'x' ? PROT_EXEC : 0);
  line += 5;
  mapping->offset = hexadecimal(&line, 16);
  line++;
  mapping->device = hexadecimal(&line, 16) << 32;
  line++;
  mapping->device |= hexadecimal(&line, 16);
  line++;
  mapping->inode = hexadecimal(&line, 10);
  while (*line == ' ') line++;
  mapping->path = *line == '/' ? line : NULL;
}

/* Calls BODY for each mapping of this process, ascending. */
static void for_each_mapping(void (*body)(const struct mapping *, void *), void *context) {
  static char text[16384]; /* the lock guards it; a line is shorter */
  static const char name[] = "/proc/self/maps";
  long descriptor = CALL_4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) {
    trace_problem(ORDERFILE_PAGE_REFUSED, -descriptor);
    return;
  }
  size_t size = 0;
  for (;;) {
    long got = CALL_3(SYS_read, descriptor, text + size, sizeof text - 1 - size);
    if (got <= 0) break;
    size += (size_t)got;
    size_t line = 0;
    for (size_t i = 0; i < size; i++) {
      if (text[i] != '\n') continue;
      struct mapping mapping;
      parse(text + line, &mapping);
      body(&mapping, context);
      line = i + 1;
    }
    for (size_t i = line; i < size; i++) text[i - line] = text[i];
    size -= line;
    if (size == sizeof text - 1) break;
  }
  CALL_2(SYS_close, descriptor, 0);
}

/* Whether the line at PATH says what the line at WANTED says. */
static bool is_same_line(const char *path, const char *wanted) {
  while (*path == *wanted && *path != '\n' && *path) path++, wanted++;
  return (*path == '\n' || !*path) && (*wanted == '\n' || !*wanted);
}

static bool is_wanted(const char *path) {
  if (is_same_line(path, trace->program)) return true;
  for (const char *line = trace->images; *line;) {
    if (*line == '*' || is_same_line(path, line)) return true;
    while (*line && *line != '\n') line++;
    if (*line) line++;
  }
  return false;
}

/* Mappings of one file that follow each other. */
struct run {
  struct mapping first;
  uint64_t end, last_offset;
  char path[4096]; /* ended by a line feed */
  bool is_executable;
};

static void tell_of_image(const struct run *run) {
  uint32_t size = 0;
  while (run->path[size] && run->path[size] != '\n') size++;
  uint32_t slot = sizeof(struct orderfile_page_record);
  struct orderfile_page_record *record = trace_claim(1 + (size + slot) / slot); /* with a null */
  if (!record) return;
  record->address = run->first.start;
  record->value = run->end;
  record->detail = size + 1;
  char *text = (char *)(record + 1);
  for (uint32_t i = 0; i < size; i++) *(volatile char *)&text[i] = run->path[i];
  trace_finish(record, ORDERFILE_PAGE_IMAGE);
}

struct page_search {
  struct image *image;
  bool executable_only;
};

/* Marks the pages of a mapping in the image that it is of. */
static void watch_mapping(const struct mapping *mapping, void *context) {
  struct page_search *search = context;
  struct image *image = search->image;
  if (!mapping->path || mapping->start < image->start || mapping->end > image->end) return;
  if (search->executable_only && !(mapping->protection & PROT_EXEC)) return;
  for (uint64_t at = mapping->start; at < mapping->end; at += PAGE) {
    uint8_t *state = &image->pages[(at - image->start) / PAGE];
    if (!(*state & WATCHED)) *state = (uint8_t)(WATCHED | mapping->protection);
  }
}

/* Writes one byte of code whatever its protection is, which other threads may just change. */
static bool write_code(uint64_t address, uint8_t byte) {
  static const char name[] = "/proc/self/mem";
  long descriptor = CALL_4(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return false;
  long written = CALL_4(SYS_pwrite64, descriptor, &byte, 1, address);
  CALL_2(SYS_close, descriptor, 0);
  return written == 1;
}

/* Puts the instruction that stops in its place. */
static void plant_stop(const struct image *image, const struct run *run) {
  if (!trace->stop_distance || stop_address || !is_same_line(run->path, trace->stop_path)) return;
  uint64_t address = image->start + trace->stop_distance;
  if (address >= image->end) return;
  int byte = gate_peek(address);
  if (byte < 0 || !write_code(address, HLT)) return;
  stop_saved = (uint8_t)byte;
  stop_address = address;
}

static void run_ended(const struct run *run) {
  if (!run->first.path || !run->is_executable) return;
  uint32_t place = image_count;
  for (uint32_t i = 0; i < image_count; i++) {
    if (images[i].start == run->first.start) return;
    if (images[i].end == 0) place = i;
  }
  if (place == MOST_IMAGES) {
    trace_problem(ORDERFILE_PAGE_REFUSED, ENFILE);
    return;
  }
  tell_of_image(run);
  struct image *image = &images[place];
  image->start = run->first.start;
  image->end = run->end;
  image->pages = NULL;
  image->is_watched = image->has_begun = false;
  uint64_t own = (uint64_t)(uintptr_t)&images_find;
  bool is_own = own >= image->start && own < image->end;
  if (!is_own && is_wanted(run->path)) {
    uint64_t size = (image->end - image->start) / PAGE;
    long pages = CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    if (pages > -PAGE && pages < 0) trace_problem(ORDERFILE_PAGE_REFUSED, -pages);
    else image->pages = (uint8_t *)pages;
  }
  plant_stop(image, run);
  if (place == image_count) /* stored last, with what was written above */
    __atomic_store_n(&image_count, place + 1, __ATOMIC_RELEASE);
}

static void add_to_run(const struct mapping *mapping, void *context) {
  struct run *run = context;
  bool goes_on = run->first.path && mapping->path && mapping->inode == run->first.inode &&
                 mapping->device == run->first.device && mapping->offset >= run->last_offset &&
                 !(mapping->offset == 0 && run->last_offset > 0);
  if (!goes_on) {
    /* Memory without a file within an image is its .bss, or between two segments. */
    if (!mapping->path) return;
    run_ended(run);
    run->first = *mapping;
    size_t i = 0;
    for (; i < sizeof run->path - 1 && mapping->path[i] != '\n'; i++) run->path[i] = mapping->path[i];
    run->path[i] = '\n';
    run->is_executable = false;
  }
  run->end = mapping->end;
  run->last_offset = mapping->offset;
  if (mapping->protection & PROT_EXEC) run->is_executable = true;
}

void images_find(void) {
  static struct run run; /* the lock guards it */
  take_lock();
  run.first.path = NULL;
  for_each_mapping(add_to_run, &run);
  run_ended(&run);
  for (uint32_t i = 0; i < image_count; i++) {
    if (!images[i].pages || images[i].is_watched) continue;
    images[i].is_watched = true;
    struct page_search search = {&images[i], true};
    for_each_mapping(watch_mapping, &search);
    apply(&images[i], images[i].start, images[i].end);
  }
  release_lock();
}

/* The first instruction of an image runs: from now on everything of it counts. */
static void begin(struct image *image) {
  take_lock();
  if (!image->has_begun) {
    struct page_search search = {image, false};
    for_each_mapping(watch_mapping, &search);
    __atomic_store_n(&image->has_begun, true, __ATOMIC_RELAXED); /* see the top: any order will do */
    apply(image, image->start, image->end);
  }
  release_lock();
}

static uint8_t right_for(uint32_t access) {
  switch (access) {
  case ORDERFILE_PAGE_EXECUTE: return PROT_EXEC;
  case ORDERFILE_PAGE_WRITE: return PROT_WRITE;
  default: return PROT_READ;
  }
}

static uint8_t seen_by(uint32_t access) {
  switch (access) {
  case ORDERFILE_PAGE_EXECUTE: return SEEN_EXECUTE;
  case ORDERFILE_PAGE_WRITE: return SEEN_WRITE;
  case ORDERFILE_PAGE_KERNEL: return SEEN_READ | SEEN_WRITE;
  default: return SEEN_READ;
  }
}

enum touch_result images_touch(uint64_t address, uint32_t access, uint64_t counter) {
  struct image *image = image_holding(address);
  if (!image) return TOUCH_NOT_OURS;
  uint64_t page = address & ~(uint64_t)(PAGE - 1);
  uint8_t *place = &image->pages[(page - image->start) / PAGE];
  uint8_t state = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (!(state & WATCHED) || !(state & right_for(access))) return TOUCH_NOT_OURS;
  uint8_t seen = seen_by(access);
  bool is_kernel = access == ORDERFILE_PAGE_KERNEL;
  if (is_kernel) {
    /* It needs nothing where it can do what it wants; before the image has begun it can. */
    bool can_read = state & (SEEN_READ | SEEN_WRITE | SEEN_EXECUTE);
    bool can_write = state & SEEN_WRITE || !(state & PROT_WRITE);
    if (!image->has_begun || (can_read && can_write)) return TOUCH_GIVEN;
  }
  uint8_t old = __atomic_fetch_or(place, seen, __ATOMIC_RELAXED); /* picks who writes the record */
  bool was_touched = old & (SEEN_READ | SEEN_WRITE | SEEN_EXECUTE);
  bool is_new = is_kernel ? !was_touched : (old & seen) == 0;
  if (is_new) {
    struct orderfile_page_record *record = trace_claim(1);
    if (record) {
      record->address = page;
      record->value = counter;
      record->detail = access;
      trace_finish(record, ORDERFILE_PAGE_TOUCH);
    }
  }
  if (access == ORDERFILE_PAGE_EXECUTE && !image->has_begun) begin(image);
  state = __atomic_load_n(place, __ATOMIC_RELAXED);
  long error = protect(page, PAGE, allowed(state, image->has_begun));
  if (!error) return TOUCH_GIVEN;
  /* Protection divides mappings, and a process may have 65530: then all is given back, in a few. */
  trace_problem(ORDERFILE_PAGE_REFUSED, -error);
  images_release();
  return protect(page, PAGE, state & BY_RIGHT) == 0 ? TOUCH_GIVEN : TOUCH_NOT_OURS;
}

void images_touch_range(uint64_t address, uint64_t size, uint64_t counter) {
  uint64_t end = address + (size - 1);
  if (end < address) return;
  for (uint64_t page = address & ~(uint64_t)(PAGE - 1); page <= end;) {
    struct image *image = image_holding(page);
    if (image) {
      images_touch(page, ORDERFILE_PAGE_KERNEL, counter);
      page += PAGE;
      continue;
    }
    /* On to the next image: a buffer may be large. */
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < image_count; i++)
      if (images[i].pages && images[i].start > page && images[i].start < next)
        next = images[i].start;
    page = next;
    if (next == UINT64_MAX) return;
  }
}

void images_protected(uint64_t address, uint64_t size, uint32_t protection) {
  uint64_t end = address + ((size + PAGE - 1) & ~(uint64_t)(PAGE - 1));
  for (uint32_t i = 0; i < image_count; i++) {
    struct image *image = &images[i];
    uint64_t from = address > image->start ? address : image->start;
    uint64_t to = end < image->end ? end : image->end;
    if (!image->pages || from >= to) continue;
    for (uint64_t at = from; at < to; at += PAGE) {
      uint8_t *state = &image->pages[(at - image->start) / PAGE];
      if (*state & WATCHED) *state = (uint8_t)((*state & ~BY_RIGHT) | (protection & BY_RIGHT));
    }
    apply(image, from, to);
  }
}

void images_unmapped(uint64_t address, uint64_t size) {
  uint64_t end = address + ((size + PAGE - 1) & ~(uint64_t)(PAGE - 1));
  for (uint32_t i = 0; i < image_count; i++) {
    struct image *image = &images[i];
    if (address <= image->start && image->start < end) { /* dlclose */
      image->pages = NULL;
      image->start = image->end = 0;
    }
    uint64_t from = address > image->start ? address : image->start;
    uint64_t to = end < image->end ? end : image->end;
    if (!image->pages || from >= to) continue;
    for (uint64_t at = from; at < to; at += PAGE) image->pages[(at - image->start) / PAGE] = 0;
  }
}

void images_release(void) {
  for (uint32_t i = 0; i < image_count; i++) {
    struct image *image = &images[i];
    if (!image->pages) continue;
    for (uint64_t at = image->start; at < image->end; at += PAGE)
      image->pages[(at - image->start) / PAGE] |= SEEN_READ | SEEN_WRITE | SEEN_EXECUTE;
    apply(image, image->start, image->end);
  }
}

bool images_is_stop(uint64_t counter) {
  if (!stop_address || counter != stop_address) return false;
  write_code(counter, stop_saved);
  return true;
}

TRACER_END
#endif
