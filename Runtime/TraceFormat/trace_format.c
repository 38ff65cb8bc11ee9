/* Checks that each header compiles on its own, and that the sizes in it are right. */
#include "orderfile_payload_format.h"
#include "orderfile_trace_format.h"
