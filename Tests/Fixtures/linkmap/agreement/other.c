// Functions with names that part.c also has: a local one, and a weak one, which the linker drops.

#define APART __attribute__((noinline, used))

APART __attribute__((weak)) int weakProbe(int x) { return x - 1000; }
APART static int helperProbe(int x) { return x * 7 + 1; }
APART static int onlyHereProbe(int x) { return x * 7 + 9; }
APART int otherProbe(int x) { return helperProbe(x) + weakProbe(x) + onlyHereProbe(x); }
