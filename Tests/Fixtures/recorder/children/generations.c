// A chain of forks: each generation hits a function of its own, forks, waits and ends.
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n) __attribute__((noinline)) static void in_##n(void) { __asm__ volatile(""); }
#define ALL(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
ALL(FUNCTION)

#define NAME(n) in_##n,
static void (*const functions[])(void) = {ALL(NAME)};

int main(void) {
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    int status = 1;
    pid_t pid = fork();
    if (pid != 0) {
      waitpid(pid, &status, 0);
      _exit(pid < 0 || status != 0);
    }
    functions[i]();
  }
  return 0;
}
