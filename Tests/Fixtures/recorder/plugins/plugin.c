// A library whose function is called NAME. MORE gives it further functions, so that two libraries differ in size; EARLY
// gives it a constructor that runs before the library can register; MANY gives it that many more guards, which
// NAME_many hits.
#define JOIN(a, b) a##b
#define NAMED(suffix, name) JOIN(name, suffix)

#ifdef EARLY
__attribute__((constructor(1), noinline)) void NAMED(_early, NAME)(void) { __asm__ volatile(""); }
#endif
__attribute__((noinline)) void NAME(void) { __asm__ volatile(""); }
__attribute__((noinline)) void NAMED(_second, NAME)(void) { __asm__ volatile(""); }
#ifdef MANY
void __sanitizer_cov_trace_pc_guard(unsigned *guard);
void __sanitizer_cov_trace_pc_guard_init(unsigned *start, unsigned *stop);
static unsigned guards[MANY];
__attribute__((constructor, no_sanitize("coverage"))) static void register_guards(void) {
  __sanitizer_cov_trace_pc_guard_init(guards, guards + MANY);
}
__attribute__((no_sanitize("coverage"))) void NAMED(_many, NAME)(void) {
  for (int i = 0; i < MANY; i++) __sanitizer_cov_trace_pc_guard(&guards[i]);
}
#endif
#ifdef MORE
__attribute__((noinline)) void NAMED(_third, NAME)(void) { __asm__ volatile(""); }
__attribute__((noinline)) void NAMED(_fourth, NAME)(void) { __asm__ volatile(""); }
#endif
