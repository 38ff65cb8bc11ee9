// Marks its first screen, as an app does.
#include <orderfile_runtime.h>
__attribute__((noinline)) static void draw(void) { __asm__ volatile(""); }
int main(void) {
  draw();
  orderfile_mark("first screen");
  return 0;
}
