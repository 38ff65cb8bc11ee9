/* Atomics with the memory order in their names, so that it is visible where it matters and grep finds
 * every acquire. Each use says why its order is sufficient, and names its partner. */
#ifndef OF_ATOMICS_H
#define OF_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#define of_load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define of_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define of_store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define of_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define of_exchange_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define of_exchange_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define of_fetch_add_acquire(p, v) __atomic_fetch_add((p), (v), __ATOMIC_ACQUIRE)
#define of_fetch_or_relaxed(p, v) __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define of_fetch_add_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
/* On failure the value found is stored in *expected, with relaxed order. */
#define of_compare_exchange_relaxed(p, expected, v) \
  __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define of_compare_exchange_acquire(p, expected, v) \
  __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define of_compare_exchange_release(p, expected, v) \
  __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)

#endif
