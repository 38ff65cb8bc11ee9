/* The trace as a mapped file: creating, joining and growing it.
 *
 * By an initializer, or by the one thread of a forked child that sets up, unless stated otherwise.
 * Pointers are not NULL. */
#ifndef OF_TRACE_FILE_H
#define OF_TRACE_FILE_H

#include "platform.h"
#include "state.h"

/* Slots that each trace has from the start, in addition to reserved ones: for marks, and for hits in images
 * that have not registered yet. */
#define OF_SPARE_RECORDS 1024ull
/* Those of them that marks may take, so that a program with many marks loses none of its hits. */
#define OF_MARK_SLOTS 768ull

/* Creates the trace PATH: 0, or -EEXIST if the name was taken meanwhile, -OF_BUSY if another process is making it
 * and does not go on, or another -errno. If there is
 * room, blocks for EXPECTED records are allocated at once, so that reserving them later costs nothing.
 * *TRACE is mapped permanently, and *LIMIT is the number of records in the mapping. */
OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit);

/* Joins the trace PATH that another copy of the recorder in this process has created: 1, -EEXIST if it is
 * no longer that trace, or another -errno. *TRACE and *LIMIT as above. If the SIZE bytes at MAPPED, the
 * beginning of that file, are a recorder's mapping, they are used again: so a library that is opened
 * repeatedly takes no more address space, and one that is opened after the file has come out of reach joins.
 * MAPPED may be NULL. */
OF_INTERNAL int of_join_trace(const char *path, const void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit);

/* Makes room for COUNT more records in this process's TRACE. What cannot be allocated is counted as lost
 * later. With the lock of registrations, or while a child sets up. */
OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count);

#endif
