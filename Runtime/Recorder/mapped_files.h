/* Part of the porting interface: the files that the process has mapped. mapped_files_<system>.c implements it.
 *
 * By an initializer, or by the one thread of a forked child that sets up. Allocates nothing, takes no lock, and calls
 * no libc function. */
#ifndef OF_MAPPED_FILES_H
#define OF_MAPPED_FILES_H

#include <stdbool.h>

#include "platform.h"

/* Calls BODY for each file that is mapped shared and writable from its beginning, until BODY returns true: the SIZE
 * bytes at ADDRESS. PATH, its present name, is valid during the call. Returns whether BODY returned true; false, too,
 * where the system does not tell. */
OF_INTERNAL bool of_each_mapped_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                                  void *context),
                                     void *context);

/* Stores the present name of the file whose beginning is mapped at ADDRESS: it may have been renamed since. False if
 * it has none, or that is not known. */
OF_INTERNAL bool of_present_path(const void *address, char path[OF_PATH_SIZE]);

#endif
