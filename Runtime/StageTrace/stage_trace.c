/* The header has all there is; a target needs a file of its own. */
#include "orderfile_stage_trace.h"
