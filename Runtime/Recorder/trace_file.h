/* The trace as a file that is mapped: making it, joining it, and having it grow.
 *
 * By an initialiser, or by the one thread of a forked child that sets up, unless it says otherwise. Pointers
 * are not NULL. */
#ifndef OF_TRACE_FILE_H
#define OF_TRACE_FILE_H

#include "state.h"

/* Slots that each trace has from the start, besides those that are reserved: for marks and names. */
#define OF_SPARE_RECORDS 1024ull

/* Makes the trace PATH: 0, or -EEXIST if the name was taken meanwhile, or another -errno. Where there is
 * room, blocks for EXPECTED records are allocated at once: reserving them later costs nothing then.
 * *TRACE is mapped for good, and *LIMIT is how many records the mapping reaches. */
OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit);

/* Joins the trace PATH that another copy of the recorder in this process has made: 1, -EEXIST if it is no longer
 * that, or another -errno. *TRACE and *LIMIT as above. If the SIZE bytes at MAPPED, which are that file's beginning,
 * are a mapping of a recorder's they serve again: a library that is opened over and over takes no more address
 * space. MAPPED may be NULL. */
OF_INTERNAL int of_join_trace(const char *path, void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit);

/* Makes room for COUNT records more in this process's TRACE. What cannot be had is counted as lost later on.
 * With the lock of registrations, or while a child sets up. */
OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count);

/* Stores the present instant as the later calibration pair, and what was lost while there was no trace. Any
 * thread, any signal handler. */
OF_INTERNAL void of_calibrate(orderfile_trace_header *trace);

#endif
