/* How the memory of a system call is reported and read. */
#ifndef ORDERFILE_SYSTEM_CALL_ACCESS_H
#define ORDERFILE_SYSTEM_CALL_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Access to the memory of a call for the caller. */
struct orderfile_call_memory {
  void *context;
  /* The kernel will use SIZE bytes at ADDRESS, at least 1. */
  void (*use)(void *context, uint64_t address, uint64_t size);
  /* Reads SIZE bytes that were passed to `use`; false if they are not mapped. */
  bool (*read)(void *context, uint64_t address, void *to, uint64_t size);
};

#endif
