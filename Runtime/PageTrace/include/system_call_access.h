/* Callbacks that report and read the memory that a system call uses. */
#ifndef ORDERFILE_SYSTEM_CALL_ACCESS_H
#define ORDERFILE_SYSTEM_CALL_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Callbacks of the caller of orderfile_call_memory_used. */
struct orderfile_call_memory {
  void *context;
  /* Called with each range that the kernel will use: SIZE bytes at ADDRESS, at least 1. */
  void (*use)(void *context, uint64_t address, uint64_t size);
  /* Reads SIZE bytes that were passed to `use`; false if they are not mapped. */
  bool (*read)(void *context, uint64_t address, void *to, uint64_t size);
};

#endif
