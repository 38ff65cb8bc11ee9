// Four threads touch the same 80,000 granules, which is more than one batch of slots, while signals interrupt them.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { COUNT = 80000, OF_HANDLER = 4096 };
static long table[COUNT] = {1};
static long of_handler[OF_HANDLER] = {1};

static void increment(long *number) {
  __atomic_store_n(number, __atomic_load_n(number, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static void on_signal(int number) {
  (void)number;
  static int calls;
  int call = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 8; i++) increment(&of_handler[(8 * call + i) % OF_HANDLER]);
  if (call == 100) setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

static void *touch_all(void *first) {
  for (long i = 0; i < COUNT; i++) increment(&table[(i + (long)first * (COUNT / 4)) % COUNT]);
  return NULL;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  on_signal(SIGALRM);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, touch_all, (void *)(i + 1));
  touch_all(NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
