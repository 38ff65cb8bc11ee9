#if defined(__APPLE__)
#include "platform.h"

#include <errno.h>

int platform_anonymous_file(size_t size) { return (void)size, -ENOTSUP; }

bool platform_stops_own_calls(void) { return false; }
#endif
