// Whether every guard is marked as seen: nobody listens, and calls are as cheap as they get.
#include <stdint.h>

extern uint32_t __start___sancov_guards[], __stop___sancov_guards[];

__attribute__((noinline)) void never_called(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  if (count > 100) never_called();
  (void)arguments;
  for (uint32_t *guard = __start___sancov_guards; guard < __stop___sancov_guards; guard++)
    if (*guard == 0) return 1;
  return 0;
}
