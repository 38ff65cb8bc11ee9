// Threads, started in .preinit_array, that hit guards while the first initializer creates the trace.
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 3, OWN = 3000 };  // together more hits than the first part of the early buffer holds
#ifndef WAIT
#define WAIT 20  // hits of each thread before the initialiser
#endif

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);

static uint32_t guards[THREADS * OWN];
static pthread_t threads[THREADS];

static void *hit(void *argument) {
  uint32_t *own = argument;
  for (int i = 0; i < OWN; i++) {
    __sanitizer_cov_trace_pc_guard(&own[i]);
    for (volatile int wait = 0; wait < 300; wait++) {
    }
  }
  return NULL;
}

static void start(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, hit, guards + i * OWN);
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = start;

__attribute__((constructor(2))) static void initialise(void) {
  for (int i = 0; i < THREADS; i++)
    while (__atomic_load_n(&guards[i * OWN + WAIT], __ATOMIC_RELAXED) == 0) {
    }
  __sanitizer_cov_trace_pc_guard_init(guards, guards + THREADS * OWN);
}

int main(void) {
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
