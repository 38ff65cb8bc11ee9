// A program that is recorded without being asked to.
#include <orderfile_runtime.h>

const char orderfile_default_trace[] = PATH;

int main(void) { return 0; }
