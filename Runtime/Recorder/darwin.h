/* What the files for Darwin share. */
#ifndef OF_DARWIN_H
#define OF_DARWIN_H

#include <mach-o/loader.h>
#include <of_attributes.h>

extern const struct mach_header_64 __dso_handle; /* the header of this image; the linker defines the symbol */

/* Joins FOLDER, which may be BUFFER, and NAME, which may be empty, in BUFFER of OF_PATH_SIZE bytes. Returns the
 * length, or -ENAMETOOLONG. Any time. */
OF_INTERNAL int of_join(char *buffer, const char *folder, const char *name);

#endif
