// Calls the recorder's functions for marks and stops. The first argument says which ones; after "sleep", the second
// argument is the number of milliseconds.
#include <orderfile_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) void
#define BODY __asm__ volatile("")

STEP first(void) { BODY; }
STEP second(void) { BODY; }
STEP third(void) { BODY; }

#ifdef BEFORE_MAIN
static void in_preinit(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  first();
  BEFORE_MAIN;
  second();
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) =
    in_preinit;
#endif

static void on_signal(int number) {
  (void)number;
  orderfile_mark("in a handler");
}
static void *in_thread(void *unused) {
  orderfile_mark("in a thread");
  return unused;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  char name[400];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  if (strcmp(what, "marks") == 0) {
    first();
    orderfile_mark("first screen");
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    sigset_t none;  // the launching process may have blocked signals
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    second();
    orderfile_mark(name);
    orderfile_mark("");
  } else if (strcmp(what, "stop") == 0) {
    first();
    orderfile_stop();
    orderfile_mark("too late");
    second();
  } else if (strcmp(what, "frames") == 0) {
    for (int i = 0; i < 2000; i++) orderfile_mark("frame drawn");
    orderfile_mark(name);
    second();
  } else if (strcmp(what, "sleep") == 0) {
    first();
    usleep((useconds_t)atoi(arguments[2]) * 1000);
    second();
  }
  third();
  orderfile_write_names();
  return 0;
}
