/* The trace as a mapped file: creating, joining and growing it.
 *
 * By an initializer, or by the one thread of a forked child that sets up, unless stated otherwise.
 * Pointers are not NULL. */
#ifndef OF_TRACE_FILE_H
#define OF_TRACE_FILE_H

#include "state.h"

/* Slots that each trace has from the start, in addition to reserved ones: for marks and names. */
#define OF_SPARE_RECORDS 1024ull

/* Creates the trace PATH: 0, or -EEXIST if the name was taken meanwhile, or another -errno. If there is
 * room, blocks for EXPECTED records are allocated at once, so that reserving them later costs nothing.
 * *TRACE is mapped permanently, and *LIMIT is the number of records in the mapping. */
OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit);

/* Joins the trace PATH that another copy of the recorder in this process has created: 1, -EEXIST if it is
 * no longer that trace, or another -errno. *TRACE and *LIMIT as above. If the SIZE bytes at MAPPED, the
 * beginning of that file, are a recorder's mapping, they are used again: so a library that is opened
 * repeatedly takes no more address space. MAPPED may be NULL. */
OF_INTERNAL int of_join_trace(const char *path, void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit);

/* Makes room for COUNT more records in this process's TRACE. What cannot be allocated is counted as lost
 * later. With the lock of registrations, or while a child sets up. */
OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count);

/* Stores the present time as the later calibration pair, and the losses from the time without a trace. Any
 * thread, any signal handler. */
OF_INTERNAL void of_calibrate(orderfile_trace_header *trace);

#endif
