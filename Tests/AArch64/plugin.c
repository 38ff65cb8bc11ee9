/* A library that is loaded and unloaded by dlopen and dlclose. Its code is on guarded pages, like that of guarded.c. */
static volatile int calls;

__attribute__((constructor, noipa)) static void step_constructor(void) { calls++; }
__attribute__((noipa)) void step_plugin(void) { calls++; }
