/* One function, constant or variable on each page: the command's page tracer has to name those that this
 * touches, in this order. With LIBRARY its library, which is on guarded pages. */
#define PAGE __attribute__((aligned(4096)))
#define CODE(name) \
  PAGE __attribute__((noipa)) void page_##name(void) { __asm__ volatile(""); }

#ifdef LIBRARY
CODE(guarded_0) CODE(guarded_1) CODE(guarded_2)
#else
#include <sys/wait.h>
#include <unistd.h>

CODE(code_0) CODE(code_1) CODE(code_2) CODE(code_3)
PAGE void others(void) {} /* and what is not of this file */
#define CONSTANT(n) PAGE extern const volatile char page_constant_##n[4096]; \
  const volatile char page_constant_##n[4096] = {'|', ' ', 'k', '\n'};
CONSTANT(0) CONSTANT(1) CONSTANT(2) CONSTANT(3) CONSTANT(4)
#define VARIABLE(n) PAGE volatile char page_variable_##n[4096] = {1};
VARIABLE(0) VARIABLE(1) VARIABLE(2) VARIABLE(3) VARIABLE(4)

void page_guarded_1(void);

int main(void) {
  page_code_3();
  page_code_1();
  (void)page_constant_2[2000];
  page_variable_1[5] = 0;
  (void)page_variable_3[5];
  page_variable_3[6]++;
  if (write(STDOUT_FILENO, (const char *)page_constant_3, 4) != 4) return 1;
  page_guarded_1();
  pid_t child = fork();
  if (child == 0) {
    page_code_2();
    _exit(0);
  }
  waitpid(child, 0, 0);
  page_code_1();
  return 0;
}
#endif
