/* What the files that make, name, start and inherit the trace share. */
#ifndef OF_TRACE_FILE_H
#define OF_TRACE_FILE_H

#include "recorder.h"

/* Results besides -errno. */
#define OF_NOT_A_TRACE (-1000) /* the path is some other file's */
#define OF_NOT_ASKED (-1001)   /* nobody wants this program recorded */

/* What identifies this process image. */
typedef struct of_identity {
  uint32_t pid;
  uint64_t start_time;
  uint8_t exec_id[16];
  uint64_t session;
} of_identity;

/* Where this copy of the recorder writes, and as whom. Written by the initialiser that starts the
 * recording and by the one thread of a forked child that sets up. */
typedef struct of_trace_location {
  of_identity self;
  uint32_t parent; /* the process number of the ancestor whose trace we go on with, else 0 */
  uint64_t first_standard_error;    /* what stderr was when the recording started */
  char template_path[OF_PATH_SIZE]; /* absolute, %p and %n not yet replaced */
  char path[OF_PATH_SIZE];          /* of the trace */
} of_trace_location;

extern OF_DATA of_trace_location of_location;

/* trace_file.c */

OF_INTERNAL bool of_is_trace(const orderfile_trace_header *header);
/* Whether this process image made it. */
OF_INTERNAL bool of_is_own_header(const orderfile_trace_header *header);
/* Makes the trace PATH: 0, or -EEXIST if the name was taken meanwhile, or another -errno. Where there is
 * room, blocks for EXPECTED records are allocated at once: reserving them later costs nothing then.
 * *LIMIT is how many records the mapping reaches. */
OF_INTERNAL int of_create_trace(const char *path, uint64_t expected, orderfile_trace_header **trace,
                                uint64_t *limit);
/* Maps the trace PATH that another copy of the recorder in this process has made: 1, or -errno. */
OF_INTERNAL int of_join_trace(const char *path, orderfile_trace_header **trace, uint64_t *limit);
/* Copies LENGTH records that are complete, the head last: a reader takes its kind for all of them. */
OF_INTERNAL void of_copy_records(orderfile_record *to, const orderfile_record *from,
                                 uint64_t length);

/* trace_name.c */

/* Finds the process's trace by the first name that is ours or free. Returns 1 if another copy of the
 * recorder had made it, 0 if it is new, -errno, or OF_NOT_A_TRACE; of_location.path says where. EXPECTED
 * as in of_create_trace. */
OF_INTERNAL int of_open_trace(uint64_t expected, orderfile_trace_header **trace, uint64_t *limit);

/* trace_start.c */

/* Stores who this process is now, but for its exec_id and session, which fork does not change. */
OF_INTERNAL void of_identify_self(void);
/* One line on standard error that the program runs on unrecorded. */
OF_INTERNAL void of_complain(int result);

#endif
