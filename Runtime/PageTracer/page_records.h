/* The output of this library for the command: records of <orderfile_page_trace.h>, in memory that the
 * processes of a launch share.
 *
 * Any thread, any signal handler, once `of_page_trace` is set; nothing here waits. */
#ifndef OF_PAGE_RECORDS_H
#define OF_PAGE_RECORDS_H

#include "gate.h"
#include "orderfile_page_trace.h"

#if OF_TRACER_IS_SUPPORTED

extern OF_DATA struct orderfile_page_trace *of_page_trace; /* NULL: nothing is traced */

/* Claims COUNT consecutive records; NULL if there is no room, or the launch is over. The `pid` of the first record is
 * set; the caller must finish this record. */
OF_INTERNAL struct orderfile_page_record *of_claim_page_records(uint32_t count);

/* Stores the KIND of a record after its fields, and the path after it, are complete. */
OF_INTERNAL void of_finish_page_record(struct orderfile_page_record *record,
                                       enum orderfile_page_record_kind kind);

/* Notes why the trace is not exact, with a detail; the first problem is kept. */
OF_INTERNAL void of_note_problem(enum orderfile_page_problem problem, long detail);

/* Notes that reads and writes after system call NUMBER are not seen. */
OF_INTERNAL void of_note_unknown_call(long number, bool is_later);

#endif
#endif
