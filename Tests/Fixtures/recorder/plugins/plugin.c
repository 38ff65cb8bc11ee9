// A library whose function is called NAME. MORE gives it further functions, so that two of them differ
// in size; EARLY a constructor that runs before the library can register.
#define JOIN(a, b) a##b
#define NAMED(suffix, name) JOIN(name, suffix)

#ifdef EARLY
__attribute__((constructor(1), noinline)) void NAMED(_early, NAME)(void) { __asm__ volatile(""); }
#endif
__attribute__((noinline)) void NAME(void) { __asm__ volatile(""); }
__attribute__((noinline)) void NAMED(_second, NAME)(void) { __asm__ volatile(""); }
#ifdef MORE
__attribute__((noinline)) void NAMED(_third, NAME)(void) { __asm__ volatile(""); }
__attribute__((noinline)) void NAMED(_fourth, NAME)(void) { __asm__ volatile(""); }
#endif
