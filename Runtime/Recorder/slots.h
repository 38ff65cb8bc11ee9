/* Slots are the places of records in the trace: claiming, filling and copying them.
 *
 * Any thread, any signal handler, before main, before relocation; nothing here waits or fails. Pointers
 * are not NULL, and their targets stay in place. */
#ifndef OF_SLOTS_H
#define OF_SLOTS_H

#include "state.h"

/* The number of records that content of SIZE bytes needs, including its head. */
OF_INLINE uint64_t of_records_for(uint64_t size) {
  return 1 + (size + ORDERFILE_CONTENT_BYTES - 1) / ORDERFILE_CONTENT_BYTES;
}

/* The record in slot 0. */
OF_INLINE orderfile_record *of_records(orderfile_trace_header *trace) {
  return (orderfile_record *)((char *)trace + ORDERFILE_TRACE_HEADER_SIZE);
}

/* Claims COUNT consecutive slots of this process's TRACE and returns the number of the first; they belong
 * to the caller until their kinds are stored. UINT64_MAX if there is no room, which is counted as a loss
 * in the trace. */
OF_INTERNAL uint64_t of_claim_slots(orderfile_trace_header *trace, uint64_t count);

/* The number of claimed slots of TRACE, limited to a mapping of LIMIT slots. Their kinds show which slots are filled
 * in. */
OF_INTERNAL uint64_t of_used_slots(const orderfile_trace_header *trace, uint64_t limit);

/* Fills in RECORD of KIND and the content records after it, which the caller has claimed (of_records_for). The content
 * has two parts; each may be NULL and empty. The kind of RECORD is stored last. */
OF_INTERNAL void of_fill_record(orderfile_record *record, uint32_t kind, uint64_t subject,
                                uint64_t entry, const void *first, uint64_t first_size,
                                const void *second, uint64_t second_size);

/* Copies LENGTH complete records to slots of the caller, the head last, because readers rely on its kind
 * for all of them. */
OF_INTERNAL void of_copy_records(orderfile_record *to, const orderfile_record *from,
                                 uint64_t length);

#endif
