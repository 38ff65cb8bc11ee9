// A library whose ifunc resolver calls an instrumented function.
__attribute__((noinline)) static void in_resolver(void) { __asm__ volatile(""); }
__attribute__((noinline)) static int chosen(void) {
  __asm__ volatile("");
  return 7;
}
typedef int function(void);
static function *resolve(void) {
  in_resolver();
  return chosen;
}
static int resolved(void) __attribute__((ifunc("resolve")));
int a(void) { return resolved(); }
