// A program that needs most of the address space that `ulimit -v` permits.
#include <stdlib.h>

int main(void) { return malloc(400u << 20) == NULL; }
