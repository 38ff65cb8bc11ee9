// What the test programs in this folder share: CHECK, which fails if a condition does not hold.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (condition) break;                                             \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
    exit(1);                                                          \
  } while (0)

// A number of a sequence that is the same in each run: xorshift64, Marsaglia 2003.
static inline unsigned long long next_random(unsigned long long *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif
