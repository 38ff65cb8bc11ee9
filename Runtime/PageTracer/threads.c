#define _GNU_SOURCE
#include "threads.h"

#if OF_TRACER_IS_SUPPORTED
#include <errno.h>
#include <of_atomics.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "memory_owner.h"

enum { TRIES = 16 };

static struct of_thread of_threads[OF_THREADS + 1];
/* The index of the entry of the process's first thread, whose number is the number of the process. */
static uint64_t of_first_thread = OF_THREADS;

struct of_thread *of_thread_at(uint64_t index) { return &of_threads[index]; }
uint64_t of_index_of_thread(const struct of_thread *entry) { return (uint64_t)(entry - of_threads); }

OF_LOCAL uint32_t of_place_of(uint32_t tid) { return tid * 0x9e3779b9u % OF_THREADS; }

OF_LOCAL struct of_thread *of_entry_of_process(void) {
  return of_owns_memory() ? &of_threads[of_first_thread] : NULL;
}

struct of_thread *of_this_thread(void) {
  long pid = OF_CALL_0(SYS_getpid), tid = OF_CALL_0(SYS_gettid);
  if (pid == tid) return of_entry_of_process();
  uint32_t index = of_place_of((uint32_t)tid);
  for (int tries = 0; tries < TRIES; tries++, index = (index + 1) % OF_THREADS)
    /* relaxed: only this thread stores its number */
    if (of_load_relaxed(&of_threads[index].number) == (uint32_t)tid) return &of_threads[index];
  return NULL;
}

/* An entry is free if its thread has ended. No call reports that a thread ends, so tgkill(2) looks for the thread. */
struct of_thread *of_claim_thread(void) {
  long pid = OF_CALL_0(SYS_getpid), tid = OF_CALL_0(SYS_gettid);
  if (pid == tid) return of_entry_of_process();
  uint32_t index = of_place_of((uint32_t)tid);
  for (int tries = 0; tries < TRIES; tries++, index = (index + 1) % OF_THREADS) {
    struct of_thread *entry = &of_threads[index];
    uint32_t user = of_load_relaxed(&entry->number); /* relaxed: the exchange below decides */
    if (user && user != (uint32_t)tid && OF_CALL_3(SYS_tgkill, pid, user, 0) != -ESRCH) continue;
    if (!of_compare_exchange_relaxed(&entry->number, &user, (uint32_t)tid)) continue; /* relaxed: as above */
    entry->wanted.ss_size = 0;
    entry->blocked = 0;
    entry->has_stack = entry->pending[0].is_there = entry->pending[1].is_there = false;
    return entry;
  }
  return NULL;
}

void of_continue_thread(struct of_thread *entry) {
  of_first_thread = of_index_of_thread(entry);
  /* relaxed: the process has no other thread yet */
  of_store_relaxed(&entry->number, (uint32_t)OF_CALL_0(SYS_gettid));
}
#endif
