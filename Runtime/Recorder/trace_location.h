/* The path of this copy's trace, and the identity of its process.
 *
 * Written by the initializer that starts the recording, and by the one thread of a forked child that sets
 * up; read by them, and by code that grows the trace. */
#ifndef OF_TRACE_LOCATION_H
#define OF_TRACE_LOCATION_H

#include <orderfile_trace_format.h>

#include "platform.h"

/* The numbers that identify this process image. */
typedef struct of_identity {
  uint32_t pid;
  uint64_t pid_namespace;
  uint64_t start_time;
  uint8_t exec_id[16];
  uint64_t session;
} of_identity;

typedef struct of_trace_location {
  of_identity self;
  uint32_t parent; /* the number of the ancestor whose recording this process continues, or 0 */
  uint64_t first_standard_error;    /* of_standard_error when the recording started */
  char template_path[OF_PATH_SIZE]; /* absolute, %p and %n not yet replaced */
  char path[OF_PATH_SIZE];          /* of the trace */
  uint64_t file[2];                 /* of the trace that is mapped: of_file_number */
} of_trace_location;

OF_EXTERN of_trace_location of_location;

/* Stores the present identity of this process, except for its exec_id and session, which fork does not
 * change. By the thread that creates the process's trace. */
OF_INTERNAL void of_identify_self(void);

/* Whether HEADER is that of a trace, of any version. Any time. */
OF_INTERNAL bool of_is_trace(const orderfile_trace_header *header);

/* Whether this process made the trace of HEADER, perhaps before it called exec. */
OF_INTERNAL bool of_is_own_number(const orderfile_trace_header *header);

/* Whether this process image made the trace of HEADER. */
OF_INTERNAL bool of_is_own_header(const orderfile_trace_header *header);

#endif
