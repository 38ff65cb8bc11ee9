#include "orderfile_trace_format.h" /* compiles on its own, and its sizes hold */
