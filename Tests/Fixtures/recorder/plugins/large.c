// A library of 512 functions, and 8 more with MORE; NAME calls the first and the last one.
#define JOIN(a, b) a##b
#define NAMED(suffix, name) JOIN(name, suffix)
#define ONE(i) __attribute__((noinline)) void NAMED(i, NAME)(void) { __asm__ volatile(""); }
#define EIGHT(i) ONE(i##0) ONE(i##1) ONE(i##2) ONE(i##3) ONE(i##4) ONE(i##5) ONE(i##6) ONE(i##7)
#define MANY(i) \
  EIGHT(i##0) EIGHT(i##1) EIGHT(i##2) EIGHT(i##3) EIGHT(i##4) EIGHT(i##5) EIGHT(i##6) EIGHT(i##7)
#ifdef MORE
EIGHT(_more)
#endif
MANY(_0) MANY(_1) MANY(_2) MANY(_3) MANY(_4) MANY(_5) MANY(_6) MANY(_7)

void NAME(void) {
  NAMED(_000, NAME)();
  NAMED(_777, NAME)();
}
