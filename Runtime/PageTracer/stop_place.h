/* The instruction of the program at which the launch ends, if the command has named one. */
#ifndef OF_STOP_PLACE_H
#define OF_STOP_PLACE_H

#include <orderfile_page_trace.h>

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Plants a stopping instruction in the image at PATH, a line, loaded in [START, END), if the stop place is in the
 * image. Does nothing if BUILD is not the build of the stop place: another build has other instructions there. The
 * caller is the thread that has found the image, and holds the lock of images. */
OF_INTERNAL void of_plant_stop(uint64_t start, uint64_t end, const char *path,
                               const struct orderfile_page_image *build);

/* Whether COUNTER is the stop place; if so, the original instruction is restored. Any thread, any signal
 * handler. */
OF_INTERNAL bool of_is_at_stop(uint64_t counter);

#endif
#endif
