#ifndef ORDERFILE_CDEMANGLE_H
#define ORDERFILE_CDEMANGLE_H

#include <stddef.h>
#include <stdint.h>

// Demangles the Itanium C++ name `name`, with parameters and return type.
// <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#demangler> Callable from any thread. `name` ends with a zero byte
// and belongs to the caller, as does the result, which must be passed to `free`. The result is NULL if `name` is not a
// mangled name, or if its text has more than `limit` bytes: each 10 bytes of a name can double the text, so producing
// all of it could take gigabytes.
char *orderfile_demangle_itanium(const char *name, size_t limit);

// The Swift runtime, swift/Demangling/Demangle.h. Callable from any thread. `name` ends with a zero byte after its
// `count` bytes and belongs to the caller; `flags` must be 0. If `buffer` and `size` are NULL, the caller must pass the
// result to `free`; it is NULL if `name` is not a mangled name.
char *swift_demangle(const char *name, size_t count, char *buffer, size_t *size, uint32_t flags);

#endif
