/* What differs between systems: one file for each, platform_<system>.c. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* Memory of that size, of zeros, that is a file only by its descriptor; -errno if there is none. */
int platform_anonymous_file(size_t size);

/* Whether the kernel stops a program's system calls for itself, and the page tracer is made for this machine. */
bool platform_stops_own_calls(void);

#endif
