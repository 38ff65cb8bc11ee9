// Functions that run in a known order, each at a moment at which a recorder might not record yet, or no longer; then
// the program ends in the way of its first argument.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) void
#define BODY __asm__ volatile("")

STEP from_resolver(void) { BODY; }
static void chosen(void) { BODY; }
static void (*resolve(void))(void) {
  from_resolver();
  return chosen;
}
void indirect(void) __attribute__((ifunc("resolve")));

STEP from_preinit(void) { BODY; }
static void in_preinit(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  from_preinit();
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) =
    in_preinit;

__attribute__((constructor(1))) static void first_constructor(void) { BODY; }
__attribute__((constructor)) static void constructor(void) { BODY; }
__attribute__((destructor)) static void last_destructor(void) { BODY; }

static void on_signal(int number) {
  (void)number;
  BODY;
}
STEP from_main(void) { BODY; }
STEP never_called(void) { BODY; }
STEP at_the_end(void) { BODY; }
static void *in_thread(void *first) {
  pthread_join(*(pthread_t *)first, NULL);
  at_the_end();
  _exit(0);
  return first;
}

int main(int count, char **arguments) {
  const char *end = count > 1 ? arguments[1] : "return";
  sigset_t none;  // the launching process may have blocked signals
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  indirect();
  from_main();
  from_main();
  if (strcmp(end, "_exit") == 0) _exit(0);
  if (strcmp(end, "abort") == 0) abort();
  if (strcmp(end, "segv") == 0) *(volatile int *)8 = 1;
  if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(end, "thread") == 0) {
    static pthread_t first, thread;
    first = pthread_self();
    pthread_create(&thread, NULL, in_thread, &first);
    pthread_exit(NULL);
  }
  if (strcmp(end, "never") == 0) never_called();
  return 0;
}
