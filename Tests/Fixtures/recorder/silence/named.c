// A program that names its trace itself, so that it is recorded without an environment variable.
#include <orderfile_runtime.h>

const char orderfile_default_trace[] = PATH;

int main(void) { return 0; }
