/* The trace of this process, <orderfile_trace_format.h>, in a file that is mapped shared.
 *
 * Not thread-safe: the plugin's lock is held. */
#ifndef OF_TRACE_WRITER_H
#define OF_TRACE_WRITER_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets what the traces of this process and its children have in common; the texts must stay in memory. */
OF_INTERNAL void of_trace_init(const char *folder, const char *program, uint32_t machine);

/* Creates the trace of this process: `trace` for the first process, `trace.<pid>` for others. Returns 0 or errno. */
OF_INTERNAL int of_trace_begin(void);

/* Whether this process has a trace and its recording goes on; whether its trace or that of the first process was
 * ended. */
OF_INTERNAL bool of_trace_is_open(void);
OF_INTERNAL bool of_trace_was_ended(void);

/* Notes that this process is a forked child of the process that began the trace, and has no trace yet. */
OF_INTERNAL void of_trace_forked(void);

/* Appends a record, with SIZE bytes of CONTENT, which may be NULL. If there is no room, counts the record as lost. */
OF_INTERNAL void of_trace_add(uint32_t kind, uint64_t subject, uint64_t second, uint64_t entry,
                              uint32_t thread, const void *content, size_t size);

/* Counts a first execution as lost: in this process's trace or, if it has none, in the trace of the first process. */
OF_INTERNAL void of_trace_lose(void);

/* The number for the next image. */
OF_INTERNAL uint64_t of_trace_next_image(void);

#endif
