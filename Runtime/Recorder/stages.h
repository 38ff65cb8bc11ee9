/* Stages of a launch: marks, stop, exit, and the names that dladdr knows. What programs call stands in
 * include/orderfile_runtime.h. */
#ifndef OF_STAGES_H
#define OF_STAGES_H

#include <of_attributes.h>

/* The last chance to write: at exit, and when the image that this copy is linked into is unloaded. A child that
 * has not hit anything leaves no trace. By the platform, as of_watch_exit was told. */
OF_INTERNAL void of_finish(void);

#endif
