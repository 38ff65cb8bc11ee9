/* The third part of the porting interface: other copies of the recorder in the process.
 * other_copies_<system>.c implements it. */
#ifndef OF_OTHER_COPIES_H
#define OF_OTHER_COPIES_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls BODY, until it returns true, for each file that may be the process's trace: the file is mapped shared and
 * writable, or another copy of the recorder reports it. PATH is valid during the call. The SIZE bytes at ADDRESS are
 * the mapping of the file from its beginning; ADDRESS is NULL if unknown. CONTEXT is NULL. Returns whether BODY
 * returned true. From initializers only. */
OF_INTERNAL bool of_each_shared_file(bool (*body)(const char *path, const void *address,
                                                  uint64_t size, void *context));

#endif
