/* System-specific functions; each system has a file platform_<system>.c. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the descriptor of an anonymous file of SIZE bytes, filled with zeros, or -errno. */
int platform_anonymous_file(size_t size);

/* Whether the kernel lets a program intercept its own system calls, and the page tracer supports this machine. */
bool platform_stops_own_calls(void);

#endif
