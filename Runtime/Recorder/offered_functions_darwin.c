/* Where orderfile_runtime.h finds the recorder's functions: Mach-O has no optional symbols. */
#if defined(__APPLE__)
#include <orderfile_runtime.h>

#include "stages.h"

/* Each copy of the recorder has one; all of them name the same functions. */
static const struct orderfile_rt_functions of_offered_functions
    __attribute__((used, section(ORDERFILE_RT_SECTION), no_sanitize("address"))) = {
        orderfile_rt_mark, orderfile_rt_stop, orderfile_rt_write_names, orderfile_rt_write_payload};
#endif
