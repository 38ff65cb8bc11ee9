// Calls a function that does nothing COUNT times, to compare an instrumented call with a plain call.
#include <stdlib.h>

__attribute__((noinline)) void callee(void) { __asm__ volatile(""); }

__attribute__((no_sanitize("coverage"))) int main(int count, char **arguments) {
  for (long i = count > 1 ? atol(arguments[1]) : 0; i > 0; i--) callee();
  return 0;
}
