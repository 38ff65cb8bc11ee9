// 16 threads hit 100,000 guards that they share, each thread from another start, and each thread hits 6,250 guards of
// its own. `main limit N` allows N bytes of file.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { THREADS = 16, SHARED = 100000, OWN = SHARED / THREADS };

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);

static uint32_t guards[SHARED + THREADS * OWN];
static pthread_barrier_t barrier;

static void *hit(void *argument) {
  uintptr_t thread = (uintptr_t)argument;
  uint32_t *own = guards + SHARED + thread * OWN;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < SHARED; i++) {
    __sanitizer_cov_trace_pc_guard(&guards[(i + thread * OWN) % SHARED]);
    if (i % THREADS == 0) __sanitizer_cov_trace_pc_guard(&own[i / THREADS]);
  }
  return NULL;
}

int main(int count, char **arguments) {
  if (count > 2 && strcmp(arguments[1], "limit") == 0) {
    rlim_t size = strtoull(arguments[2], NULL, 10);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){size, size});
  }
  __sanitizer_cov_trace_pc_guard_init(guards, guards + sizeof guards / sizeof *guards);
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, hit, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  puts("unharmed");
  return 0;
}
