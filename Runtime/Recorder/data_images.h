/* From an address to the granule of data that it is in: the loaded ranges of the images that this copy of the
 * recorder serves, and which of their granules have been touched.
 *
 * A range is that of all segments of an image. Writable data are in it, constants, zero-filled data (.bss takes
 * pages like other data, and linkers order it by the same files), and code, because compilers put constants there,
 * too. Thread-local data are not: each thread has its own copy elsewhere.
 *
 * Ranges are in a list, the newest first, which only grows at its head; looking up takes no lock. An entry never
 * moves, and its range never changes. An image that is loaded again at the same place uses the same entry. A library
 * with its own copy of the recorder leaves the memory of its bits behind when it is closed: at exit it may still be
 * used after its end. */
#ifndef OF_DATA_IMAGES_H
#define OF_DATA_IMAGES_H

#include <stdbool.h>

#include "state.h"

typedef struct of_data_image {
  const struct of_data_image *next;
  uint64_t start, size;           /* bytes; multiples of the granule */
  uint64_t hull_start, hull_size; /* of this range and all behind it in the list */
  uint64_t *touched;              /* atomic; a bit for each granule; NULL until the first touch */
  uint64_t number;                /* atomic; of the image in the trace; 0 until it has registered */
  uint32_t is_gone;               /* atomic */
} of_data_image;

/* Begins the list with the range of the image that this copy is linked into, which is known before that registers.
 * Returns the list, or NULL if the linker does not tell the range. Any thread, any signal handler, before main, before
 * relocation. */
OF_INTERNAL of_data_image *of_first_data_image(void);

/* Adds the image NUMBER with the loaded range START..END, unless it is known by another number; NODE is memory for
 * it that stays, of this registration alone. Whether granules of it have been touched already, for no number. With
 * the lock of registrations. */
OF_INTERNAL bool of_add_data_image(of_data_image *node, uint64_t number, uint64_t start, uint64_t end);

/* The image NUMBER is gone: what is touched at its place is not its data. With the lock of registrations. */
OF_INTERNAL void of_forget_data_image(uint64_t number);

/* Lets every touch end at its first comparison, because nothing is recorded. */
OF_INTERNAL void of_ignore_data(void);

/* Marks the granule with ADDRESS as touched. Returns its image if this was the first touch; NULL if not, and for an
 * address in no image of the list. Maps memory at the first touch in an image. Any thread, any signal handler. */
OF_INTERNAL const of_data_image *of_touch_first(uint64_t address);

#endif
