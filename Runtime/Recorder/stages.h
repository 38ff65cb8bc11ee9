/* Marks, stop, exit, and the names that dladdr knows. Programs call the functions in
 * include/orderfile_runtime.h. */
#ifndef OF_STAGES_H
#define OF_STAGES_H

#include <of_attributes.h>

/* What orderfile_runtime.h offers to programs: any thread, any signal handler, before main. */
OF_RUNTIME void orderfile_rt_mark(const char *name);
OF_RUNTIME void orderfile_rt_stop(void);
OF_RUNTIME unsigned long orderfile_rt_write_payload(void *buffer, unsigned long size, unsigned long token);
OF_RUNTIME void orderfile_rt_write_names(void); /* calls dladdr: not in a signal handler */

/* Writes the last records: at exit, and when the image that contains this copy is unloaded. A child without hits leaves
 * no trace. The platform calls it, as requested by of_watch_exit. */
OF_INTERNAL void of_finish(void);

#endif
