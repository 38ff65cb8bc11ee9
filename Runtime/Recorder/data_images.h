/* Finds the granule of data that holds an address: the loaded ranges of the images that this copy of the recorder
 * serves, and which granules in these ranges have been touched.
 *
 * A range covers all segments of an image: writable data, constants, zero-filled data (.bss takes pages like other
 * data, and linkers order it by the same files), and code, because compilers put constants there, too. Thread-local
 * data are outside of it: each thread has its own copy elsewhere.
 *
 * Ranges are in a list, the newest first, which only grows at its head; looking up takes no lock. An entry never moves,
 * and its range never changes. An image that is loaded again at the same place uses the same entry. When a library with
 * its own copy of the recorder is closed, the memory of its bits stays: at exit it may still be used after the
 * library's end. */
#ifndef OF_DATA_IMAGES_H
#define OF_DATA_IMAGES_H

#include <stdbool.h>

#include "state.h"

typedef struct of_data_image {
  const struct of_data_image *next;
  uint64_t start, size;           /* in bytes; multiples of the granule's size */
  uint64_t hull_start, hull_size; /* of this range and all later ones in the list */
  uint64_t *touched;              /* atomic; a bit for each granule; NULL until the first touch */
  uint64_t number;                /* atomic; the image's number in the trace; 0 until it has registered */
  uint32_t is_gone;               /* atomic */
} of_data_image;

/* Begins the list with the range of the image that this copy is linked into: the range is known before the image
 * registers. Returns the list, or NULL if the linker does not provide the range. Any thread, any signal handler, before
 * main, before relocation. */
OF_INTERNAL of_data_image *of_first_data_image(void);

/* Adds the image NUMBER with the loaded range START..END, unless the image is known by another number. NODE is memory
 * that stays, and that only this registration uses. Returns whether granules of the image were touched before it had a
 * number. With the lock of registrations. */
OF_INTERNAL bool of_add_data_image(of_data_image *node, uint64_t number, uint64_t start, uint64_t end);

/* Notes that the image NUMBER is gone: later touches at its place are not touches of its data. With the lock of
 * registrations. */
OF_INTERNAL void of_forget_data_image(uint64_t number);

/* Lets every touch end at its first comparison, because nothing is recorded. */
OF_INTERNAL void of_ignore_data(void);

/* Marks the granule with ADDRESS as touched. Returns its image if this was the first touch; NULL if not, and for an
 * address in no image of the list. Maps memory at the first touch in an image. Any thread, any signal handler. */
OF_INTERNAL const of_data_image *of_touch_first(uint64_t address);

#endif
