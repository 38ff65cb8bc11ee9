/* Comes and goes by dlopen and dlclose; guarded as guarded.c is. */
static volatile int calls;

__attribute__((constructor, noipa)) static void step_constructor(void) { calls++; }
__attribute__((noipa)) void step_plugin(void) { calls++; }
