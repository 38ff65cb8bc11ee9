#ifndef ORDERFILE_LIBFUZZER_H
#define ORDERFILE_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library. <https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library>
int LLVMFuzzerRunDriver(
    int *count, char ***arguments, int (*run)(const uint8_t *bytes, size_t size));

#endif
