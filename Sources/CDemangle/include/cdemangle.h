#ifndef ORDERFILE_CDEMANGLE_H
#define ORDERFILE_CDEMANGLE_H

#include <stddef.h>
#include <stdint.h>

// What the Itanium C++ name `name` stands for, with parameters and return type.
// <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#demangler>
// Any thread. `name` ends with a zero byte and is the caller's, as is the result, to `free`. It is NULL where
// `name` is no mangled name, and where its text has more than `limit` bytes: each 10 bytes of a name can double
// that, so whoever makes all of it may wait for gigabytes.
char *orderfile_demangle_itanium(const char *name, size_t limit);

// The Swift runtime, swift/Demangling/Demangle.h. Any thread. `name` ends with a zero byte behind its `count`
// bytes and is the caller's; `flags` must be 0. With `buffer` and `size` NULL the result is the caller's to
// `free`; it is NULL where `name` is no mangled name.
char *swift_demangle(const char *name, size_t count, char *buffer, size_t *size, uint32_t flags);

#endif
