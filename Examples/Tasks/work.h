// Work that a task does: three functions of its own. It takes some microseconds, because a trace of less than
// 0.1 ms has no times.
#include <orderfile_tasks.h>

static volatile unsigned result;

#define WORK(name)                                                                  \
  __attribute__((noinline)) static void name##_open(void) { result += 1; }          \
  __attribute__((noinline)) static void name##_read(void) {                         \
    for (int item = 0; item < 20000; item++) result *= 3;                           \
  }                                                                                 \
  __attribute__((noinline)) static void name(void) {                                \
    name##_open();                                                                  \
    name##_read();                                                                  \
  }
