/* The payload of a launch, made from the trace. The order of the hits gives the quarter in which a function ran first,
 * and the guard of a function gives its number.
 *
 * The payload has a table for each image that this copy of the recorder serves, the program first. A payload is one
 * launch: a device sends one for a process, not one for an image, so that launches can be counted. An image that finds
 * no room is left out whole: a table without some functions would make these functions rarer than they are. */
#ifndef OF_PAYLOAD_H
#define OF_PAYLOAD_H

#include "state.h"

/* Makes the payload of TRACE, which is this process's own, in the SIZE bytes at BUFFER. TOKEN is the device's token, or
 * 0. Returns the size of the payload in bytes; 0 if no function ran, if there is no room for any table or no memory, if
 * the process is a forked child, or while an image is being registered. Takes time for the records, times the logarithm
 * of the number of images, and for the guards. Allocates a byte for each guard and some bytes for each image, from the
 * kernel, for the duration of the call. Any thread, any signal handler. */
OF_INTERNAL uint64_t of_make_payload(orderfile_trace_header *trace, uint64_t token, uint8_t *buffer,
                                     uint64_t size);

#endif
