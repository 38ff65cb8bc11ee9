// C functions: local ones, an alias, a weak one, which the linker keeps, and cold parts.

#define APART __attribute__((noinline, used))
void abort(void);
int puts(const char *);

APART static int helperProbe(int x) { return x * 3 + 1; }
APART int plainProbe(int x) { return helperProbe(x) + 2; }
int aliasProbe(int x) __attribute__((alias("plainProbe")));
APART __attribute__((weak)) int weakProbe(int x) { return x - 1; }
APART __attribute__((cold)) int coldProbe(int x) { return puts("cold") + x; }
APART __attribute__((cold)) static int staticColdProbe(int x) { return puts("cold") - x; }
APART __attribute__((hot)) int hotProbe(int x) { return x * x; }
APART __attribute__((constructor)) static void constructorProbe(void) { puts("constructor"); }

// GCC puts the unlikely branch of each of these into a cold part.
APART static int staticPartProbe(int x) {
  if (__builtin_expect(x > 2000, 0)) {
    coldProbe(x);
    staticColdProbe(x + 1);
    abort();
  }
  return plainProbe(x) * hotProbe(x) + 5;
}
APART int partProbe(int x) {
  if (__builtin_expect(x > 1000, 0)) {
    coldProbe(x);
    staticColdProbe(x);
    abort();
  }
  return staticPartProbe(x) * aliasProbe(x) + weakProbe(x);
}
