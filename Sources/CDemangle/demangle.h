#ifndef ORDERFILE_CDEMANGLE_H
#define ORDERFILE_CDEMANGLE_H

#include <stddef.h>
#include <stdint.h>

// libstdc++ and libc++abi. <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#demangler>
// Any thread. `name` ends with a zero byte and is the caller's. With `buffer` and `size` NULL the result is
// the caller's to `free`; it is NULL, and `*status` not 0, where `name` is no mangled name.
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

// The Swift runtime, swift/Demangling/Demangle.h. Any thread. `name` ends with a zero byte behind its `count`
// bytes and is the caller's; `flags` must be 0. With `buffer` and `size` NULL the result is the caller's to
// `free`; it is NULL where `name` is no mangled name.
char *swift_demangle(const char *name, size_t count, char *buffer, size_t *size, uint32_t flags);

#endif
