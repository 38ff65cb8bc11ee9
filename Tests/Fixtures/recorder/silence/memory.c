// Needs most of the address space that `ulimit -v` leaves it.
#include <stdlib.h>

int main(void) { return malloc(400u << 20) == NULL; }
