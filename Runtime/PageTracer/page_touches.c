#define _GNU_SOURCE
#include "page_touches.h"

#if OF_TRACER_IS_SUPPORTED
#include <of_atomics.h>
#include <stddef.h>
#include <sys/mman.h>

#include "page_records.h"
#include "page_states.h"
#include "watched_images.h"

enum of_touch_result of_touch(uint64_t address, enum orderfile_page_access access,
                              uint64_t counter) {
  struct of_watched_image *image = of_image_holding(address);
  if (!image) return OF_NOT_OURS;
  uint64_t page = address & ~(uint64_t)(OF_PAGE - 1);
  uint8_t *place = of_state_of_page(image, page);
  uint8_t state = of_load_relaxed(place); /* relaxed: see page_touches.h */
  if (!(state & OF_WATCHED) || !(state & of_right_for(access))) return OF_NOT_OURS;
  uint8_t seen = of_seen_by(access);
  bool is_kernel = access == ORDERFILE_PAGE_KERNEL;
  if (is_kernel) {
    /* Nothing to do if the page allows the access; before the image has begun, it does. */
    bool can_read = state & (OF_SEEN_READ | OF_SEEN_WRITE | OF_SEEN_EXECUTE);
    bool can_write = state & OF_SEEN_WRITE || !(state & PROT_WRITE);
    if (!image->has_begun || (can_read && can_write)) return OF_GIVEN_BACK;
  }
  uint8_t old = of_fetch_or_relaxed(place, seen); /* relaxed: picks who writes the record */
  bool was_touched = old & (OF_SEEN_READ | OF_SEEN_WRITE | OF_SEEN_EXECUTE);
  bool is_new = is_kernel ? !was_touched : (old & seen) == 0;
  if (is_new) {
    struct orderfile_page_record *record = of_claim_page_records(1);
    if (record) {
      record->address = address;
      record->value = counter;
      record->detail = access;
      of_finish_page_record(record, ORDERFILE_PAGE_TOUCH);
    }
  }
  if (access == ORDERFILE_PAGE_EXECUTE && !image->has_begun) of_begin_image(image);
  state = of_load_relaxed(place); /* relaxed: see page_touches.h */
  long error = of_protect(page, OF_PAGE, of_allowed(state, image->has_begun));
  if (!error) return OF_GIVEN_BACK;
  /* Protection splits mappings, and a process may have 65530 of them. If there are more, all access is restored, in a
   * few calls. */
  of_note_problem(ORDERFILE_PAGE_REFUSED, -error);
  of_release_images();
  return of_protect(page, OF_PAGE, state & OF_BY_RIGHT) == 0 ? OF_GIVEN_BACK : OF_NOT_OURS;
}

void of_touch_range(uint64_t address, uint64_t size, uint64_t counter) {
  uint64_t end = address + (size - 1);
  if (end < address) return;
  for (uint64_t page = address & ~(uint64_t)(OF_PAGE - 1); page <= end;) {
    struct of_watched_image *image = of_image_holding(page);
    if (image) {
      of_touch(page > address ? page : address, ORDERFILE_PAGE_KERNEL, counter);
      page += OF_PAGE;
      continue;
    }
    /* Skips to the next image, because a buffer may be large. */
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < of_image_count; i++)
      if (of_images[i].pages && of_images[i].start > page && of_images[i].start < next)
        next = of_images[i].start;
    page = next;
    if (next == UINT64_MAX) return;
  }
}

void of_note_protection(uint64_t address, uint64_t size, uint32_t protection) {
  uint64_t end = address + ((size + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1));
  for (uint32_t i = 0; i < of_image_count; i++) {
    struct of_watched_image *image = &of_images[i];
    uint64_t from = address > image->start ? address : image->start;
    uint64_t to = end < image->end ? end : image->end;
    if (!image->pages || from >= to) continue;
    for (uint64_t at = from; at < to; at += OF_PAGE) {
      uint8_t *state = of_state_of_page(image, at);
      if (*state & OF_WATCHED) *state = (uint8_t)((*state & ~OF_BY_RIGHT) | (protection & OF_BY_RIGHT));
    }
    of_apply_states(image, from, to);
  }
}

void of_note_unmapping(uint64_t address, uint64_t size) {
  uint64_t end = address + ((size + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1));
  for (uint32_t i = 0; i < of_image_count; i++) {
    struct of_watched_image *image = &of_images[i];
    if (address <= image->start && image->start < end) { /* dlclose */
      image->pages = NULL;
      image->start = image->end = 0;
    }
    uint64_t from = address > image->start ? address : image->start;
    uint64_t to = end < image->end ? end : image->end;
    if (!image->pages || from >= to) continue;
    for (uint64_t at = from; at < to; at += OF_PAGE) *of_state_of_page(image, at) = 0;
  }
}

void of_release_range(uint64_t address, uint64_t size) {
  uint64_t start = address & ~(uint64_t)(OF_PAGE - 1), end = address + size;
  for (uint32_t i = 0; i < of_image_count; i++) {
    struct of_watched_image *image = &of_images[i];
    uint64_t from = start > image->start ? start : image->start;
    uint64_t to = end < image->end ? end : image->end;
    if (!image->pages || from >= to) continue;
    for (uint64_t at = from; at < to; at += OF_PAGE)
      of_fetch_or_relaxed(of_state_of_page(image, at), (uint8_t)OF_SEEN); /* relaxed: see page_touches.h */
    of_apply_states(image, from, (to + OF_PAGE - 1) & ~(uint64_t)(OF_PAGE - 1));
  }
}

void of_release_data(void) {
  of_store_relaxed(&of_data_is_released, true); /* relaxed: another thread may see one more touch */
  for (uint32_t i = 0; i < of_image_count; i++) {
    struct of_watched_image *image = &of_images[i];
    if (!image->pages) continue;
    for (uint64_t at = image->start; at < image->end; at += OF_PAGE)
      of_fetch_or_relaxed(of_state_of_page(image, at), (uint8_t)(OF_SEEN_READ | OF_SEEN_WRITE));
    of_apply_states(image, image->start, image->end);
  }
}

void of_release_images(void) {
  for (uint32_t i = 0; i < of_image_count; i++) {
    struct of_watched_image *image = &of_images[i];
    if (!image->pages) continue;
    for (uint64_t at = image->start; at < image->end; at += OF_PAGE)
      *of_state_of_page(image, at) |= OF_SEEN_READ | OF_SEEN_WRITE | OF_SEEN_EXECUTE;
    of_apply_states(image, image->start, image->end);
  }
}
#endif
