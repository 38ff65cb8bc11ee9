/* The porting contract's third part: other copies of the recorder in the process. other_copies_<system>.c
 * implements it. */
#ifndef OF_OTHER_COPIES_H
#define OF_OTHER_COPIES_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls BODY for each file that may be the process's trace, because it is mapped shared and writable or
 * another copy of the recorder says so, until it returns true; PATH is valid during the call. The SIZE bytes at
 * ADDRESS are where it is mapped from its beginning; NULL where nobody says. Returns whether BODY did. From
 * initialisers only. */
OF_INTERNAL bool of_each_shared_file(bool (*body)(const char *path, void *address, uint64_t size));

#endif
