// A library with a function that runs before the library can register: its constructor has the same priority as the
// constructors that the compiler adds.
#define APART __attribute__((aligned(64)))

APART volatile int before_registering = 1;
APART volatile int after_registering = 1;

#pragma clang diagnostic ignored "-Wprio-ctor-dtor"
__attribute__((constructor(1))) static void first(void) { before_registering++; }
__attribute__((constructor)) static void construct(void) { after_registering++; }

void touch(void) {}
