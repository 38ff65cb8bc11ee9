// Work that a task does: three functions of its own.
#include <orderfile_tasks.h>

static volatile unsigned result;

#define WORK(name)                                                                  \
  __attribute__((noinline)) static void name##_open(void) { result += 1; }          \
  __attribute__((noinline)) static void name##_read(void) { result *= 3; }          \
  __attribute__((noinline)) static void name(void) {                                \
    name##_open();                                                                  \
    name##_read();                                                                  \
  }
