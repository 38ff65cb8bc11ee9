/* What the recorder's files share. The public contract is include/orderfile_runtime.h. */
#ifndef OF_RECORDER_H
#define OF_RECORDER_H

#include <orderfile_trace_format.h>

#include "atomics.h"
#include "platform.h"

/* A guard's value. The zero that the loader provides means "not seen yet", so code that runs before
 * any initialiser is recorded too. */
enum { OF_UNSEEN = 0, OF_SEEN = 1 };

/* What this copy of the recorder has decided. */
enum of_mode {
  OF_UNDECIDED = 0, /* no initialiser has finished: hits wait in `of_early` */
  OF_RECORDING,     /* `of_recorder.trace` is mapped */
  OF_SILENT,        /* nobody asked, or the trace could not be made */
};

/* The value of the page that is wiped on fork. */
enum { OF_FORKED = 0, OF_OWNED = 1, OF_SETTING_UP = 2 };

#define OF_EARLY_CAPACITY 4096u

/* The state of one copy of the recorder: zero at load, so that it needs no relocation. */
typedef struct of_recorder_state {
  orderfile_trace_header *trace; /* atomic; NULL until recording */
  uint32_t mode;                 /* atomic, of_mode */
  uint64_t record_limit;         /* slots that our mapping reaches */
  uint32_t *ownership;           /* atomic; on the page wiped on fork, or NULL */
  uint32_t owner;                /* atomic: process number, where there is no such page */
  uint32_t setting_up;           /* atomic: the child that sets up, where there is no such page */
  uint64_t lost_records;         /* atomic: lost while no trace was mapped */
  uint32_t registering;          /* atomic: the process in which a registration goes on, or 0 */
  uint32_t is_stopped;           /* atomic: orderfile_stop came before the trace */
  bool writes_names;             /* ORDERFILE_NAMES */
} of_recorder_state;

extern OF_DATA of_recorder_state of_recorder;

/* Hits before the trace exists, in their order. */
typedef struct of_early_records {
  uint64_t next; /* atomic; far above the capacity once closed */
  orderfile_record records[OF_EARLY_CAPACITY];
} of_early_records;

extern OF_DATA of_early_records of_early;

/* recorder.c. Any thread, any time, no libc. */

/* Claims COUNT slots in a row; the first one's number, or UINT64_MAX, with the loss counted. */
OF_INTERNAL uint64_t of_claim_slots(orderfile_trace_header *trace, uint64_t count);
/* COUNT records in a row for something that happens in the launch: in the trace, or in the early buffer
 * while there is no trace. NULL if the launch is over, nobody listens, or there is no room; that loss
 * is counted. */
OF_INTERNAL orderfile_record *of_claim_records(uint64_t count);
/* Fills in a record of KIND and the payloads behind it: SIZE bytes in two parts, the second may be
 * empty. */
OF_INTERNAL void of_fill_record(orderfile_record *record, uint32_t kind, uint64_t subject,
                                uint64_t entry, const void *first, uint64_t first_size,
                                const void *second, uint64_t second_size);
/* The trace to write to, or NULL; makes a forked child's own trace first. */
OF_INTERNAL orderfile_trace_header *of_current_trace(void);
/* The trace to write to, or NULL; also NULL in a forked child that has none yet. */
OF_INTERNAL orderfile_trace_header *of_own_trace(void);

/* Records that a payload of SIZE bytes takes, its head included. */
OF_INLINE uint64_t of_records_for(uint64_t size) {
  return 1 + (size + ORDERFILE_PAYLOAD_BYTES - 1) / ORDERFILE_PAYLOAD_BYTES;
}

OF_INLINE orderfile_record *of_records(orderfile_trace_header *trace) {
  return (orderfile_record *)((char *)trace + ORDERFILE_TRACE_HEADER_SIZE);
}

/* trace_start.c: decides whether to record, and makes or joins the process's trace, with room for an
 * image of so many GUARDS. From initialisers only. */
OF_INTERNAL void of_start_recording(uint64_t guards);

/* trace_fork.c: in a forked child, puts a trace of its own in the place of its parent's. Any time. */
OF_INTERNAL void of_replace_trace_after_fork(void);

/* trace_file.c */

/* Makes room for COUNT records more. What cannot be had is counted as lost later on. From
 * initialisers, or while a child sets up. */
OF_INTERNAL void of_reserve_records(orderfile_trace_header *trace, uint64_t count);
/* Stores the present instant as the later calibration pair. Any time. */
OF_INTERNAL void of_calibrate(orderfile_trace_header *trace);

/* trace_path.c */

/* The absolute path that the template stands for; false if it is too long or empty. */
OF_INTERNAL bool of_expand_path(const char *template_path, char path[OF_PATH_SIZE]);
OF_INTERNAL bool of_has_process_number(const char *template_path);
/* Adds ".<number>". */
OF_INTERNAL bool of_append_number(char path[OF_PATH_SIZE], uint64_t number);
/* A template that stands for PATH itself. */
OF_INTERNAL bool of_escape_path(const char *path, char template_path[OF_PATH_SIZE]);

/* image_table.c */

/* The entry PC that the pc-table states for GUARD, or 0. Any time. */
OF_INTERNAL uint64_t of_entry_of_guard(const uint32_t *guard);
/* Whether the image NUMBER is one of this copy's and still loaded. Any time. */
OF_INTERNAL bool of_is_loaded(uint64_t number);
/* One registration at a time. From initialisers and at exit. */
OF_INTERNAL void of_lock_registration(void);
OF_INTERNAL void of_unlock_registration(void);
/* At dlclose and at exit: the image that this copy is linked into is gone, unless it is the program. */
OF_INTERNAL void of_unload_own_image(orderfile_trace_header *trace);

/* launch_end.c */

/* The last chance to write: at exit, and when the image that this copy is linked into is unloaded. The
 * platform calls it. */
OF_INTERNAL void of_finish(void);

/* Ends the launch if the mark of SIZE bytes that begins in RECORD's payload is the one to stop at. */
OF_INTERNAL void of_stop_at_mark(orderfile_trace_header *trace, const orderfile_record *record);

/* The part of a pointer that is an address: pointer authentication signs the rest on ARM. */
OF_INLINE uint64_t of_strip_signature(const void *pointer) {
#if defined(__aarch64__)
  register const void *x30 __asm__("x30") = pointer;
  __asm__("hint #7" : "+r"(x30)); /* xpaclri; a no-op where pointers are not signed */
  return (uint64_t)x30;
#else
  return (uint64_t)pointer;
#endif
}

/* Bytes, as libc would; ours never become calls of libc. */
OF_INLINE void of_copy(void *to, const void *from, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) {
    ((char *)to)[i] = ((const char *)from)[i];
    OF_KEEP_LOOP();
  }
}
OF_INLINE uint64_t of_length(const char *text) {
  uint64_t size = 0;
  while (text[size]) {
    size++;
    OF_KEEP_LOOP();
  }
  return size;
}
OF_INLINE bool of_equal(const void *a, const void *b, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) {
    if (((const char *)a)[i] != ((const char *)b)[i]) return false;
    OF_KEEP_LOOP();
  }
  return true;
}

#endif
