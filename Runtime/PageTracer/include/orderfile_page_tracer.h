/* The functions that the page tracer offers to the program that it is loaded into: the same marks as the
 * recorder's. */
#ifndef ORDERFILE_PAGE_TRACER_H
#define ORDERFILE_PAGE_TRACER_H

__attribute__((visibility("default"))) void orderfile_rt_mark(const char *name);
__attribute__((visibility("default"))) void orderfile_rt_stop(void);

#endif
