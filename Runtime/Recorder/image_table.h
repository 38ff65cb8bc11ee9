/* The images that this copy of the recorder serves: registration, pc-table, unload.
 *
 * The compiler's constructor calls the two init functions once per image, before the image's own constructors
 * of default priority. A call with a range that is already registered is either a repetition (some linkers
 * keep one constructor per object file), which is ignored, or another image at an address that dlclose has
 * freed. The loader's count of unloaded images distinguishes the two.
 *
 * Hits may come before that call: from .preinit_array, from functions that ifunc resolvers call, from constructors with
 * a higher priority. In an image that reuses freed addresses they look like hits of the image that is gone. So the load
 * record states where the hits of the new image begin, and their entry PCs are looked up again. An entry PC is looked
 * up in a copy of the pc-table, because the image that contains the table may be gone.
 *
 * An image with its own copy of the recorder writes its unload record in a destructor. For an image that uses
 * the executable's copy, none of our code runs at dlclose: its unload record is written when the next image
 * registers. Until then its addresses can't be hit again, so no hit is misattributed.
 */
#ifndef OF_IMAGE_TABLE_H
#define OF_IMAGE_TABLE_H

#include <stdbool.h>

#include "guards.h"

/* Returns whether START..STOP is registered and its image is still there. Writes the unload records of the images that
 * the range shows to be gone, and of every other image that the loader no longer has. From initializers, with the
 * lock. */
OF_INTERNAL bool of_is_registered(orderfile_trace_header *trace, const uint32_t *start,
                                  const uint32_t *stop);

/* Registers the image that contains the guards START..STOP, and writes its load record. Does nothing if no image
 * contains them. From initializers, with the lock. */
OF_INTERNAL void of_add_registration(orderfile_trace_header *trace, const uint32_t *start,
                                     const uint32_t *stop);

/* Gives an entry PC to the hits that came before REGISTRATION, which has its entries by now. From initializers, with
 * the lock. */
OF_INTERNAL void of_complete_early_hits(orderfile_trace_header *trace,
                                        const of_registration *registration);

/* Writes the unload record of the image that this copy is linked into, unless that is the program: at dlclose of a
 * library with its own copy, and at exit. At exit the library stays mapped and may still be hit; readers attribute a
 * hit after the unload record to it all the same. Takes the lock. The loader is not asked: in a forked child a thread
 * of the parent may hold the loader's lock for ever. */
OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace);

#endif
