#include "orderfile_trace_format.h" /* checks that the header compiles on its own, and that the sizes in it are right */
