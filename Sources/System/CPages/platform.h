/* System-specific functions; each system has a file platform_<system>.c. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* The descriptor of an anonymous file of that size, filled with zeros; -errno on failure. */
int platform_anonymous_file(size_t size);

/* Whether the kernel can intercept a program's system calls for itself, and the page tracer supports this
 * machine. */
bool platform_stops_own_calls(void);

#endif
