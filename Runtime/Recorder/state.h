/* The state of one copy of the recorder, which its files share. The public interface is
 * include/orderfile_runtime.h.
 *
 * Dependencies: each .c has a header of its name, and a file includes the headers of what it calls. The files
 * are listed from the bottom up, and none calls one that is listed after it:
 *
 *   platform, images, mapped_files             the operating system and its loader
 *   state                      this file
 *   slots                      places in the trace, and filling them
 *   data_images                from an address to its granule of data
 *   guards                     from a guard to its entry; the lock of registrations
 *   trace_path, trace_location, complaint      the path of the trace, its process, messages
 *   payload_code, payload, payload_file        the summary of a launch for other machines
 *   launch_end                 whether the launch is over; the clocks
 *   early_records              records that wait until there is a trace
 *   trace_file, trace_name     making, joining and growing the trace; the owner of a name
 *   trace_fork, current_trace  the trace of a forked child
 *   recorder                   the hot path
 *   touches                    the hot path of data
 *   other_copies, trace_start  the start of a recording
 *   image_table, stages        loads and unloads; marks, stop and exit
 *   offered_functions          what programs may call, on Darwin
 *   registration               what the compiler's constructors call
 */
#ifndef OF_STATE_H
#define OF_STATE_H

#include <of_atomics.h>
#include <of_attributes.h>
#include <orderfile_trace_format.h>
#include <stdbool.h>

/* The decision of this copy of the recorder. */
enum of_mode {
  OF_UNDECIDED = 0, /* no initialiser has finished: hits wait in early_records.c */
  OF_RECORDING,     /* `of_recorder.trace` is mapped */
  OF_SILENT,        /* recording was not requested, or the trace could not be made */
};

/* Values of the page that is wiped on fork. */
enum { OF_FORKED = 0, OF_OWNED = 1, OF_SETTING_UP = 2 };

/* Zero at load, so that it needs no relocation. Fields that are not atomic are written before `trace` is
 * set, by the initializer that starts the recording or by the one thread of a forked child that sets up. */
typedef struct of_recorder_state {
  orderfile_trace_header *trace; /* atomic; NULL until recording. Mapped permanently */
  uint32_t mode;                 /* atomic, of_mode */
  uint64_t record_limit;         /* slots that our mapping reaches */
  uint32_t *ownership;           /* atomic; on the page wiped on fork, or NULL */
  uint32_t owner;                /* atomic: process number, where there is no such page */
  uint32_t setting_up;           /* atomic: the child that sets up, where there is no such page */
  uint64_t lost_records;         /* atomic: lost while no trace was mapped */
  uint32_t registering;          /* atomic: the process in which a registration goes on, or 0 */
  uint64_t early_mark_slots;     /* atomic: slots that marks asked for while no trace was mapped */
  uint64_t lost_marks;           /* atomic: marks that found no slot then */
  uint32_t is_stopped;           /* atomic: orderfile_stop came before the trace */
  bool writes_names;             /* ORDERFILE_NAMES */
  /* Atomic: the list of data_images.h, NULL until an image is known. It is here because a page of its own would be one
   * more page for programs that record no data. */
  struct of_data_image *data_images;
} of_recorder_state;

OF_EXTERN of_recorder_state of_recorder;

#endif
