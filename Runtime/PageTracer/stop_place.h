/* The instruction of the program at which its launch is over, if the command has named one. */
#ifndef OF_STOP_PLACE_H
#define OF_STOP_PLACE_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Puts an instruction that stops into the image at PATH, a line, loaded in [START, END), if it is the one. By the
 * thread that has found the image, with the lock of images. */
OF_INTERNAL void of_plant_stop(uint64_t start, uint64_t end, const char *path);

/* Whether COUNTER is that place; then the instruction is back. Any thread, any signal handler. */
OF_INTERNAL bool of_is_at_stop(uint64_t counter);

#endif
#endif
