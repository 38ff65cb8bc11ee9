/* The header has everything, but a target needs a file of its own. */
#include "orderfile_stage_trace.h"
