/* The payload as a file: ORDERFILE_PAYLOAD. It is written once: when the launch ends, when an image is registered that was
 * being registered at that moment, or at exit. */
#ifndef OF_PAYLOAD_FILE_H
#define OF_PAYLOAD_FILE_H

#include "state.h"

/* Keeps the path of the payload: TEMPLATE_PATH, which has the syntax of ORDERFILE_TRACE, or NULL or empty for none.
 * SIZE is the most bytes that the payload may have; 0 for the usual limit. By the initializer that creates the trace, after
 * of_open_trace.
 *
 * A program that the launched program starts inherits the variable, and must not replace the payload of the launched
 * program. So it writes a payload only if TEMPLATE_PATH has a process number. Such a program is recognized by its trace:
 * the trace does not have the requested name, because the trace of a living process has it. If ORDERFILE_TRACE gives each
 * process or program a name of its own, by %p or %n, such a program is not recognized. */
OF_INTERNAL void of_keep_payload_path(const char *template_path, uint64_t size);

/* Writes the payload of TRACE, whose launch is over. Does nothing if no payload is wanted, if the payload was written
 * before, if the process is a forked child, or while an image is being registered. Any thread, any signal handler. */
OF_INTERNAL void of_write_payload(orderfile_trace_header *trace);

#endif
