/* The watched images, and the states of their pages. */
#ifndef OF_WATCHED_IMAGES_H
#define OF_WATCHED_IMAGES_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

enum { OF_PAGE = 4096, OF_MOST_IMAGES = 2048 };

struct of_watched_image {
  uint64_t start, end; /* 0 if the image is gone */
  uint8_t *pages;      /* atomic; the states of its pages (page_states.h); NULL if it is not watched. Never freed */
  bool is_watched;     /* execution is withheld */
  bool has_begun;      /* atomic; an instruction of it has run: everything is withheld */
};

/* Images that are not watched are listed, too. An entry is filled in before it counts, and reused when its
 * image is gone. */
extern OF_DATA struct of_watched_image of_images[OF_MOST_IMAGES];
extern OF_DATA uint32_t of_image_count; /* atomic */

/* Atomic. Whether reading and writing is no longer withheld, also in images that are loaded later. */
extern OF_DATA bool of_data_is_released;

/* Finds new images, and withholds execution of those to be watched. Called by the thread that has just mapped an image;
 * waits for other threads that do the same. */
OF_INTERNAL void of_find_images(void);

/* Called when the first instruction of IMAGE is about to run: from now on, all access to it counts. Waits as
 * of_find_images does. */
OF_INTERNAL void of_begin_image(struct of_watched_image *image);

/* Guard the list of images against other threads. The holder blocks all signals. */
OF_INTERNAL void of_lock_images(void);
OF_INTERNAL void of_unlock_images(void);

/* Whether SIZE bytes at ADDRESS overlap an image, watched or not. Any thread, any signal handler. */
OF_INTERNAL bool of_overlaps_image(uint64_t address, uint64_t size);

/* The watched image that contains ADDRESS, or NULL. Any thread, any signal handler. */
OF_INTERNAL struct of_watched_image *of_image_holding(uint64_t address);

/* The state of the page at ADDRESS, which is in IMAGE. Any thread, any signal handler. */
OF_INLINE uint8_t *of_state_of_page(const struct of_watched_image *image, uint64_t address) {
  return &image->pages[(address - image->start) / OF_PAGE];
}

/* Gives the pages of [FROM, TO), which are in IMAGE, the protection that their states allow; unwatched pages keep
 * theirs. Any thread, any signal handler. */
OF_INTERNAL void of_apply_states(struct of_watched_image *image, uint64_t from, uint64_t to);

/* Changes protection, as mprotect(2): 0 or -errno. Any thread, any signal handler. */
OF_INTERNAL long of_protect(uint64_t start, uint64_t size, uint32_t protection);

#endif
#endif
