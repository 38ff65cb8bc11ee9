/* Makes a path of the template in ORDERFILE_TRACE. Paths are zero-terminated, in buffers of OF_PATH_SIZE bytes that
 * belong to the caller. Pointers are not NULL.
 *
 * Called by an initializer, or by the one thread of a forked child that sets up: there is one buffer for the program's
 * name. */
#ifndef OF_TRACE_PATH_H
#define OF_TRACE_PATH_H

#include "platform.h"

/* Stores a template for the same file that is absolute, so that a child finds the folder after a chdir. Returns 0 or
 * -errno. */
OF_INTERNAL int of_make_absolute(const char *template_path, char absolute[OF_PATH_SIZE]);
/* Stores the path for the template, which is absolute; false if it is too long. */
OF_INTERNAL bool of_expand_path(const char *template_path, char path[OF_PATH_SIZE]);
/* Whether the template contains %p. */
OF_INTERNAL bool of_has_process_number(const char *template_path);
/* Adds ".<number>"; false if there is no room. */
OF_INTERNAL bool of_append_number(char path[OF_PATH_SIZE], uint64_t number);
/* Stores a template that expands to PATH; false if it is too long. */
OF_INTERNAL bool of_escape_path(const char *path, char template_path[OF_PATH_SIZE]);

#endif
