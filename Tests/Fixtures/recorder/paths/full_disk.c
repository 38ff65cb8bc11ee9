// Makes the kernel write the trace to the disk, then fills the disk, then continues: each later hit stores into the
// trace. usage: full_disk TRACE FILL
#include <fcntl.h>
#include <unistd.h>

__attribute__((noinline)) void first(void) { __asm__ volatile(""); }
__attribute__((noinline)) void second(void) { __asm__ volatile(""); }
__attribute__((noinline)) void third(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  static char bytes[65536];
  if (count < 3) return 2;
  int trace = open(arguments[1], O_RDONLY), fill = open(arguments[2], O_WRONLY | O_CREAT, 0600);
  if (trace < 0 || fill < 0) return 1;
  first();
  if (fsync(trace) != 0) return 1;
  for (int size = sizeof bytes; size >= 512; size /= 2) {
    while (write(fill, bytes, size) > 0) {
    }
    fsync(fill);
  }
  second();
  fsync(trace);
  third();
  return 0;
}
