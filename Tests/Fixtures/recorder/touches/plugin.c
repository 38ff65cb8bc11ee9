// A library with data of its own; the macro HERE is the variable's name.
#define APART __attribute__((aligned(64)))
#define NAME_OF(name, here) name##here
#define NAME(name, here) NAME_OF(name, here)

APART int NAME(first_of_, HERE) = 1;
APART const int NAME(constants_of_, HERE)[64] = {1};
APART static volatile int index;

void touch(void) { NAME(first_of_, HERE) += NAME(constants_of_, HERE)[index + 40]; }
