/* Part of the porting interface: the files that the process has mapped. mapped_files_<system>.c implements it.
 *
 * Called by an initializer, or by the one thread of a forked child that sets up. Allocates nothing, takes no lock, and
 * calls no libc function. */
#ifndef OF_MAPPED_FILES_H
#define OF_MAPPED_FILES_H

#include <stdbool.h>

#include "platform.h"

/* Calls BODY for each file that is mapped shared and writable from its beginning, until BODY returns true. SIZE bytes
 * are mapped at ADDRESS. PATH, the file's present name, is valid during the call. Returns whether BODY returned true;
 * also false if the system does not list mapped files. */
OF_INTERNAL bool of_each_mapped_file(bool (*body)(const char *path, const void *address, uint64_t size,
                                                  void *context),
                                     void *context);

/* Stores the present name of the file whose beginning is mapped at ADDRESS: the file may have been renamed. Returns
 * false if the file has no name, or the name is not known. */
OF_INTERNAL bool of_present_path(const void *address, char path[OF_PATH_SIZE]);

#endif
