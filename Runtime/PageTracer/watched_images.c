#define _GNU_SOURCE
#include "watched_images.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <fcntl.h>
#include <of_atomics.h>
#include <of_image_id.h>
#include <of_process_maps.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "page_records.h"
#include "page_states.h"
#include "stop_place.h"

OF_DATA struct of_watched_image of_images[OF_MOST_IMAGES];
OF_DATA bool of_data_is_released;
OF_DATA uint32_t of_image_count; /* atomic; stored when the image is complete */

/* Only one thread at a time reads the mappings. All signals are blocked, so the lock is not held for long; but a child
 * may be forked meanwhile, and in the child nobody releases the lock. */
static uint32_t of_lock_holder; /* atomic; a process, or 0 */

void of_lock_images(void) {
  uint32_t self = (uint32_t)OF_CALL_0(SYS_getpid);
  for (int patience = 10000;; patience--) {
    uint32_t holder = 0;
    /* acquire: what was done under the lock; pairs with the release in of_unlock_images */
    if (of_compare_exchange_acquire(&of_lock_holder, &holder, self)) return;
    if (patience < 0 && holder != self) {
      of_store_release(&of_lock_holder, self); /* release: as in of_unlock_images, for a thread of the child */
      return;
    }
    OF_CALL_0(SYS_sched_yield);
  }
}

void of_unlock_images(void) {
  of_store_release(&of_lock_holder, 0); /* release: pairs with the acquire in of_lock_images */
}

struct of_watched_image *of_image_holding(uint64_t address) {
  uint32_t count = of_load_acquire(&of_image_count); /* acquire: pairs with the release in of_run_ended */
  for (uint32_t i = count; i-- > 0;)
    if (of_images[i].pages && address >= of_images[i].start && address < of_images[i].end)
      return &of_images[i];
  return NULL;
}

bool of_overlaps_image(uint64_t address, uint64_t size) {
  uint64_t end = address + ((size + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1));
  uint32_t count = of_load_acquire(&of_image_count); /* acquire: as in of_image_holding */
  for (uint32_t i = 0; i < count; i++)
    if (of_images[i].start < end && address < of_images[i].end) return true;
  return false;
}

long of_protect(uint64_t start, uint64_t size, uint32_t protection) {
  return OF_CALL_3(SYS_mprotect, start, size, protection);
}

void of_apply_states(struct of_watched_image *image, uint64_t from, uint64_t to) {
  uint64_t run = from;
  while (run < to) {
    uint8_t state = *of_state_of_page(image, run);
    uint64_t end = run + OF_PAGE;
    if (!(state & OF_WATCHED)) {
      run = end;
      continue;
    }
    uint32_t protection = of_allowed(state, image->has_begun);
    while (end < to) {
      uint8_t next = *of_state_of_page(image, end);
      if (!(next & OF_WATCHED) || of_allowed(next, image->has_begun) != protection) break;
      end += OF_PAGE;
    }
    long error = of_protect(run, end - run, protection);
    if (error) of_note_problem(ORDERFILE_PAGE_REFUSED, -error);
    run = end;
  }
}

/* Calls BODY for each mapping of this process, ascending. */
OF_LOCAL void of_for_each_mapping(void (*body)(const struct of_mapping *, void *), void *context) {
  static char text[16384]; /* the lock guards it; a line is shorter */
  static const char name[] = "/proc/thread-self/maps";
  long descriptor = OF_CALL_4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) {
    of_note_problem(ORDERFILE_PAGE_REFUSED, -descriptor);
    return;
  }
  size_t size = 0;
  for (;;) {
    long got = OF_CALL_3(SYS_read, descriptor, text + size, sizeof text - 1 - size);
    if (got <= 0) break;
    size += (size_t)got;
    size_t line = of_each_mapping_in(text, size, body, context);
    for (size_t i = line; i < size; i++) text[i - line] = text[i];
    size -= line;
    if (size == sizeof text - 1) break;
  }
  OF_CALL_2(SYS_close, descriptor, 0);
}

OF_LOCAL bool of_is_wanted(const char *path) {
  if (of_is_same_line(path, of_page_trace->program)) return true;
  for (const char *line = of_page_trace->images; *line;) {
    if (*line == '*' || of_is_same_line(path, line)) return true;
    while (*line && *line != '\n') line++;
    if (*line) line++;
  }
  return false;
}

/* Consecutive mappings of the same file. */
struct run {
  struct of_mapping first;
  uint64_t end, last_offset;
  char path[4096]; /* the path is ended by a line feed */
  bool is_executable;
};

/* Copies SIZE bytes of this process's memory; false if they can't be read. */
OF_LOCAL bool of_read_memory(void *context, uint64_t address, void *to, uint64_t size) {
  (void)context;
  struct iovec here = {to, size}, there = {(void *)address, size};
  long self = OF_CALL_0(SYS_gettid);
  return OF_CALL_6(SYS_process_vm_readv, self, &here, 1, &there, 1, 0) == (long)size;
}

/* Stores the device, the inode and the ID of the image of RUN. */
OF_LOCAL void of_identify(const struct run *run, struct orderfile_page_image *image) {
  static struct of_elf_headers headers; /* the lock guards these three variables */
  static uint8_t notes[OF_MOST_NOTES];
  static struct of_image_id id;
  uint64_t slide;
  image->device = run->first.device;
  image->inode = run->first.inode;
  image->id_size = image->id_is_weak = 0;
  if (run->first.offset || !of_read_elf_headers(run->first.start, of_read_memory, NULL, &headers) ||
      !of_find_slide(&headers, run->first.start, &slide))
    return;
  of_read_image_id(&headers, slide, of_read_memory, NULL, notes, &id);
  image->id_size = id.size;
  image->id_is_weak = id.is_weak;
  of_copy(image->id, id.bytes, id.size);
}

OF_LOCAL void of_tell_of_image(const struct run *run, const struct orderfile_page_image *image) {
  uint32_t length = 0;
  while (run->path[length] && run->path[length] != '\n') length++;
  uint32_t slot = sizeof(struct orderfile_page_record);
  uint32_t size = sizeof *image + length;
  struct orderfile_page_record *record =
      of_claim_page_records(1 + (size + slot) / slot); /* with a null */
  if (!record) return;
  record->address = run->first.start;
  record->value = run->end;
  record->detail = size + 1;
  char *text = (char *)(record + 1);
  of_copy(text, image, sizeof *image);
  of_copy(text + sizeof *image, run->path, length);
  of_finish_page_record(record, ORDERFILE_PAGE_IMAGE);
}

struct page_search {
  struct of_watched_image *image;
  bool executable_only;
};

/* Marks the pages of a mapping in its image. */
OF_LOCAL void of_watch_mapping(const struct of_mapping *mapping, void *context) {
  struct page_search *search = context;
  struct of_watched_image *image = search->image;
  if (!mapping->path || mapping->start < image->start || mapping->end > image->end) return;
  if (search->executable_only && !(mapping->protection & PROT_EXEC)) return;
  for (uint64_t at = mapping->start; at < mapping->end; at += OF_PAGE) {
    uint8_t *state = of_state_of_page(image, at);
    if (!(*state & OF_WATCHED)) *state = (uint8_t)(OF_WATCHED | mapping->protection);
  }
}

OF_LOCAL void of_run_ended(const struct run *run) {
  if (!run->first.path || !run->is_executable) return;
  uint32_t place = of_image_count;
  for (uint32_t i = 0; i < of_image_count; i++) {
    if (of_images[i].start == run->first.start) return;
    if (of_images[i].end == 0) place = i;
  }
  if (place == OF_MOST_IMAGES) {
    of_note_problem(ORDERFILE_PAGE_REFUSED, ENFILE);
    return;
  }
  static struct orderfile_page_image build; /* the lock guards it */
  of_identify(run, &build);
  of_tell_of_image(run, &build);
  struct of_watched_image *image = &of_images[place];
  image->start = run->first.start;
  image->end = run->end;
  image->pages = NULL;
  image->is_watched = image->has_begun = false;
  uint64_t own = (uint64_t)(uintptr_t)&of_find_images;
  bool is_own = own >= image->start && own < image->end;
  if (!is_own && of_is_wanted(run->path)) {
    uint64_t size = (image->end - image->start) / OF_PAGE;
    long pages =
        OF_CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages > -OF_PAGE && pages < 0) of_note_problem(ORDERFILE_PAGE_REFUSED, -pages);
    else image->pages = (uint8_t *)pages;
  }
  of_plant_stop(image->start, image->end, run->path, &build);
  /* release: publishes the image; pairs with the acquire in of_image_holding */
  if (place == of_image_count) of_store_release(&of_image_count, place + 1);
}

OF_LOCAL void of_add_to_run(const struct of_mapping *mapping, void *context) {
  struct run *run = context;
  bool goes_on = run->first.path && mapping->path && mapping->inode == run->first.inode &&
                 mapping->device == run->first.device && mapping->offset >= run->last_offset &&
                 !(mapping->offset == 0 && run->last_offset > 0);
  if (!goes_on) {
    /* Memory without a file within an image is its .bss, or a gap between two segments. */
    if (!mapping->path) return;
    of_run_ended(run);
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

void of_find_images(void) {
  static struct run run; /* the lock guards it */
  of_lock_images();
  run.first.path = NULL;
  of_for_each_mapping(of_add_to_run, &run);
  of_run_ended(&run);
  for (uint32_t i = 0; i < of_image_count; i++) {
    if (!of_images[i].pages || of_images[i].is_watched) continue;
    of_images[i].is_watched = true;
    struct page_search search = {&of_images[i], true};
    of_for_each_mapping(of_watch_mapping, &search);
    of_apply_states(&of_images[i], of_images[i].start, of_images[i].end);
  }
  of_unlock_images();
}

void of_begin_image(struct of_watched_image *image) {
  of_lock_images();
  if (!image->has_begun) {
    struct page_search search = {image, false};
    of_for_each_mapping(of_watch_mapping, &search);
    if (of_load_relaxed(&of_data_is_released)) /* relaxed: see of_release_data */
      for (uint64_t at = image->start; at < image->end; at += OF_PAGE)
        *of_state_of_page(image, at) |= OF_SEEN_READ | OF_SEEN_WRITE;
    of_store_relaxed(&image->has_begun, true); /* relaxed: any order will do, see page_touches.h */
    of_apply_states(image, image->start, image->end);
  }
  of_unlock_images();
}
#endif
