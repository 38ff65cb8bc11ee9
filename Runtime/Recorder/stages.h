/* Marks, stop, exit, and the names that dladdr knows. Programs call the functions in
 * include/orderfile_runtime.h. */
#ifndef OF_STAGES_H
#define OF_STAGES_H

#include <of_attributes.h>

/* The last opportunity to write: at exit, and when the image that contains this copy is unloaded. A child
 * without hits leaves no trace. Called by the platform, as requested by of_watch_exit. */
OF_INTERNAL void of_finish(void);

#endif
