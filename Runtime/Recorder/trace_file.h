/* The trace as a mapped file: creating, joining and growing it.
 *
 * Called by an initializer, or by the one thread of a forked child that sets up, unless stated otherwise. Pointers are
 * not NULL. */
#ifndef OF_TRACE_FILE_H
#define OF_TRACE_FILE_H

#include "platform.h"
#include "state.h"

/* Slots that each trace has from the start, in addition to reserved ones: for marks, and for hits in images
 * that have not registered yet. */
#define OF_SPARE_RECORDS 1024ull
/* The part of the spare slots that marks may take, so that a program with many marks loses none of its hits. */
#define OF_MARK_SLOTS 768ull

/* Creates the trace PATH. Returns 0, -EEXIST if the name was taken meanwhile, -OF_BUSY if another process is making the
 * trace and does not go on, or another -errno. If there is room, blocks for EXPECTED records are allocated at once, so
 * that reserving them later costs nothing. *TRACE is mapped permanently, and *LIMIT is the number of records in the
 * mapping. */
OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit);

/* Joins the trace PATH that another copy of the recorder in this process has created. Returns 1, -EEXIST if PATH is no
 * longer that trace, or another -errno. *TRACE and *LIMIT are as in of_create_trace. If the SIZE bytes at MAPPED, the
 * beginning of that file, are a recorder's mapping, they are used again: so a library that is opened repeatedly takes
 * no more address space, and a library can join that is opened when the file is out of reach. MAPPED may be NULL. */
OF_INTERNAL int of_join_trace(const char *path, const void *mapped, uint64_t size,
                              orderfile_trace_header **trace, uint64_t *limit);

/* Makes room for COUNT more records in this process's TRACE. Records without room are later counted as lost. With the
 * lock of registrations, or while a child sets up. */
OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count);

#endif
