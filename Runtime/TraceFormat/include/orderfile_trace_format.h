/* The trace: the bytes on disk, written down once for the recorder (C) and the reader (Swift).
 *
 * A trace is one launch of one process. The recorder writes it through a shared mapping while the
 * program runs, so the file is readable at every instant, also after a crash; there is no "finish".
 *
 *   offset 0              orderfile_trace_header, padded with zeros to header_size
 *   header_size           record 0, record 1, ... record_size bytes each; `capacity` of them
 *   names_offset          only in a sealed trace: names_count orderfile_trace_name, then their text
 *   recordable_offset     only in a sealed trace: recordable_count times an orderfile_trace_recordable, its
 *                         units, and their text
 *   workload_offset       only in a sealed trace: an orderfile_trace_workload, its inputs, and their text
 *
 * Integers are in the byte order of the recorded machine, which is little-endian on all machines that we know. All
 * reserved bytes are zero, which means that what a later tool stores there is unknown. A reader refuses a version that
 * it does not know.
 *
 * A record's index is its slot, and the order of slots is the order of hits. This is exact within a thread. Between
 * threads, a later hit may have the lower slot, if it came before the earlier hit claimed its slot. A record exists
 * once its `kind` is not zero; `kind` is stored last. A slot below `next_record` with kind zero was being written when
 * the process ended: readers skip it, count it and report it.
 *
 * Some kinds carry text or a structure: `content_size` bytes, in the records of kind ORDERFILE_RECORD_CONTENT that
 * follow in the next slots, ORDERFILE_CONTENT_BYTES in each. A content record without its head (the head was still
 * being written) is skipped.
 */
#ifndef ORDERFILE_TRACE_FORMAT_H
#define ORDERFILE_TRACE_FORMAT_H

#include <stdint.h>

/* "\x89OFTRACE": the first byte is not ASCII, so no text file begins like this. */
#define ORDERFILE_TRACE_MAGIC_BYTES { 0x89, 'O', 'F', 'T', 'R', 'A', 'C', 'E' }
#define ORDERFILE_TRACE_VERSION 1u
#define ORDERFILE_TRACE_HEADER_SIZE 4096u
#define ORDERFILE_TRACE_PROGRAM_SIZE 1024u
#define ORDERFILE_TRACE_TEMPLATE_SIZE 1024u
#define ORDERFILE_TRACE_MARK_SIZE 256u
#define ORDERFILE_CONTENT_BYTES 36u
#define ORDERFILE_DATA_GRANULE 8u /* bytes */

/* orderfile_trace_header.flags */
#define ORDERFILE_TRACE_FORKED 1u   /* the process is a forked child, and continues the recording of parent_pid */
#define ORDERFILE_TRACE_SEALED 2u   /* the trace is complete, with names: `orderfile record` has finished it */
#define ORDERFILE_TRACE_EMULATED 4u /* the process ran under an emulator: times mean nothing */
#define ORDERFILE_TRACE_IMPORTED 8u /* made from what another tool saw: no guards, `entry` counts */
#define ORDERFILE_TRACE_BREAKPOINTS 16u /* written by a tracer: no guards, `entry` counts; with EMULATED, by an emulator */
#define ORDERFILE_TRACE_LOCKED 32u /* while locked, its process or a child with the same mapping lives */

/* orderfile_trace_header.state */
#define ORDERFILE_STATE_RECORDING 0u
#define ORDERFILE_STATE_STOPPED_BY_CALL 1u  /* orderfile_stop() */
#define ORDERFILE_STATE_STOPPED_BY_MARK 2u  /* ORDERFILE_STOP_AT */
#define ORDERFILE_STATE_STOPPED_BY_TIME 3u  /* ORDERFILE_STOP_AFTER_MS */
#define ORDERFILE_STATE_STOPPED_BY_FUNCTION 4u /* set by a tracer: the function at which recording ends was entered */
#define ORDERFILE_STATE_STOPPED_WHEN_READY 5u  /* set by the command: the program gave the sign of `--until-ready` */

/* orderfile_record.kind */
#define ORDERFILE_RECORD_NONE 0u     /* not written yet */
#define ORDERFILE_RECORD_FUNCTION 1u /* first hit of a function */
#define ORDERFILE_RECORD_BLOCK 2u    /* first hit of a basic block; `entry` is its first byte's address */
#define ORDERFILE_RECORD_DATA 3u     /* first load or store in a granule of data */
#define ORDERFILE_RECORD_MARK 4u     /* content: the name of a stage of the launch */
#define ORDERFILE_RECORD_LOAD 5u     /* content: orderfile_trace_image, its ID, its path; see `entry` */
#define ORDERFILE_RECORD_UNLOAD 6u   /* the image numbered `subject` is gone */
#define ORDERFILE_RECORD_NAME 7u     /* content: the name dladdr gives for the address `subject` */
#define ORDERFILE_RECORD_CONTENT 8u  /* continues the record before */
#define ORDERFILE_RECORD_UNUSED 9u   /* `subject` slots, including this one, were reserved and not needed */
#define ORDERFILE_RECORD_EXEC 10u    /* content: the path of the program that the process executes now; empty: it failed */

/* orderfile_trace_image.block_count: the image has no map of basic blocks; block records are runs of executed
 * instructions */
#define ORDERFILE_EXECUTED_RUNS 0xffffffffu

/* orderfile_trace_image.id_kind; the numbers of ImageModel.ImageID.Kind */
#define ORDERFILE_ID_BUILD_ID 1u /* .note.gnu.build-id */
#define ORDERFILE_ID_UUID 2u     /* LC_UUID */
#define ORDERFILE_ID_WEAK 3u     /* FNV-1a, 64 bits, of the program headers or load commands; big-endian */

/* orderfile_trace_recordable.means */
#define ORDERFILE_MEANS_CALLBACK 1u
#define ORDERFILE_MEANS_BREAKPOINT 2u
#define ORDERFILE_MEANS_EXECUTION 3u /* the recorder is an emulator, which sees all code */

/* The same instant on two clocks. Two of these pairs convert ticks to time. */
typedef struct orderfile_clock_pair {
  uint64_t ticks;       /* TSC, CNTVCT_EL0; on Darwin mach_absolute_time */
  uint64_t nanoseconds; /* since boot: CLOCK_BOOTTIME, mach_continuous_time */
} orderfile_clock_pair;

typedef struct orderfile_trace_header {
  uint8_t magic[8];
  uint32_t version;
  uint32_t header_size; /* bytes */
  uint32_t record_size; /* bytes */
  uint32_t machine;     /* ELF e_machine, on Darwin too */
  uint32_t flags;
  uint32_t state; /* atomic */

  /* The process that writes the trace. The same pid, start_time, exec_id and pid_namespace mean the same process image:
   * exec changes exec_id. */
  uint32_t pid;
  uint32_t parent_pid; /* see ORDERFILE_TRACE_FORKED: the nearest ancestor that recorded; else 0 */
  uint64_t start_time; /* in start_resolution: since boot (Linux), since 1970 (Darwin) */
  uint8_t exec_id[16]; /* a hash of what exec makes at random: AT_RANDOM, the stack protector's secret */
  uint64_t session;    /* ORDERFILE_SESSION: which `orderfile record` launched it; 0 for none */

  uint64_t ticks_per_second;       /* 0: unknown, use the pairs */
  orderfile_clock_pair first_pair; /* when the trace was created */
  orderfile_clock_pair last_pair;  /* the latest of: registration, mark, stop, exit, sealing */
  uint64_t process_start;          /* ns since boot, rounded down to start_resolution; or of the
                                      recording, if it began in a running process */
  uint64_t start_resolution;       /* ns */
  uint64_t stop_time;              /* ns since boot after which no hit counts; 0 for none */

  /* Shared by all copies of the recorder in the process; atomic. */
  uint64_t next_record;  /* slots claimed */
  uint64_t capacity;     /* slots whose blocks are allocated */
  uint64_t demand;       /* slots that the registered images can need at most */
  uint64_t lost_records; /* hits that found no slot */
  uint64_t next_image;   /* numbers given to images, from 1 */

  uint64_t names_offset; /* 0 unless sealed */
  uint64_t names_count;
  uint64_t names_size; /* bytes, entries and text */

  uint8_t program[ORDERFILE_TRACE_PROGRAM_SIZE]; /* path of the executable, cut off if longer */

  /* The settings of the first copy of the recorder, for a copy that joins. Zero-terminated. */
  uint8_t path_template[ORDERFILE_TRACE_TEMPLATE_SIZE]; /* absolute; empty if longer. `orderfile record` stores
                                                           where it has put the trace */
  uint8_t stop_mark[ORDERFILE_TRACE_MARK_SIZE];         /* empty for none */

  uint64_t pid_namespace; /* the namespace of pid and parent_pid: its inode number (Linux), 1 (Darwin); 0 unknown */
  uint64_t mark_slots;    /* atomic: slots that marks have asked for */
  uint64_t lost_marks;    /* atomic: marks that found no slot in their share */

  uint64_t recordable_offset; /* 0 if unknown */
  uint64_t recordable_count;
  uint64_t recordable_size; /* bytes, entries and text */

  uint64_t workload_offset; /* 0 if unknown */
  uint64_t workload_size;   /* bytes, entries and text */

  uint64_t touches;     /* atomic: slots that touches of data have asked for */
  uint64_t touch_slots; /* atomic: slots of `demand` for touches alone */
  /* Atomic: the number of functions that ran before their image could register, in images that use another image's
   * recorder. What they touched of the data of their image is not recorded. */
  uint64_t early_functions;
} orderfile_trace_header;

typedef struct orderfile_record {
  /* Function: loaded address of the guard. Load, unload: the image's number. Data: the number of the image that
   * contains the granule; 0 if the image had not registered when the process ended. */
  uint64_t subject;
  union {
    uint64_t return_address; /* function: the loaded address to which the callback returns */
    uint64_t content_size;   /* mark, load, name: in bytes */
    uint64_t block_size;     /* block: in bytes */
    uint64_t data_size;      /* data: the size of the granule in bytes */
  };
  /* Function, block, data: loaded address of its first byte; 0 for a function without pc-table. Load: 1 + the slot of
   * the image's first hit, if that came before the image could register; else 0. */
  uint64_t entry;
  uint64_t ticks;  /* the time of the event, in ticks of the machine's counter */
  uint32_t thread; /* function, mark: the kernel's number of the thread; else 0 */
  uint32_t kind;   /* stored last */
} orderfile_record;

typedef struct orderfile_content {
  uint8_t bytes[ORDERFILE_CONTENT_BYTES];
  uint32_t kind;
} orderfile_content;

/* The content of ORDERFILE_RECORD_LOAD; id_size bytes of ID and path_size bytes of path follow. */
typedef struct orderfile_trace_image {
  uint64_t slide;       /* loaded minus stated address, modulo 2^64 */
  uint64_t text_start;  /* loaded range of all executable segments */
  uint64_t text_size;   /* bytes */
  uint64_t guard_start; /* loaded range of its guards, 4 bytes each */
  uint64_t guard_size;  /* bytes */
  uint32_t id_kind;     /* 0 without an ID */
  uint32_t id_size;     /* bytes */
  uint32_t path_size;   /* bytes */
  uint32_t block_count; /* how many basic blocks could be recorded; 0 if only functions could; or EXECUTED_RUNS */
} orderfile_trace_image;

/* One name of one recorded function in a sealed trace. Entries ascend by image, address, name;
 * aliases are entries of their own. */
typedef struct orderfile_trace_name {
  uint32_t image;       /* the number of the image */
  uint32_t name_size;   /* bytes */
  uint64_t address;     /* stated */
  uint64_t size;        /* the size of the function in bytes; 0: unknown */
  uint64_t name_offset; /* bytes from names_offset */
} orderfile_trace_name;

/* How much of the code of one image could be recorded. unit_count orderfile_trace_unit follow, each with its
 * text; nothing is aligned. */
typedef struct orderfile_trace_recordable {
  uint32_t image; /* the number of the image */
  uint32_t means; /* what makes code recordable */
  uint64_t functions;
  uint64_t all_functions;
  uint64_t bytes;
  uint64_t all_bytes;
  uint64_t unit_count;
} orderfile_trace_recordable;

/* The code of one compilation unit that could not be recorded. The unit's name follows, and the name of the largest of
 * these functions. The unit with the most bytes comes first. */
typedef struct orderfile_trace_unit {
  uint64_t functions;
  uint64_t bytes;
  uint32_t name_size;             /* bytes; 0 unknown */
  uint32_t largest_function_size; /* the size of its name in bytes; 0: unknown */
} orderfile_trace_unit;

/* What the launch was asked to do. Hashes are FNV-1a, 64 bits. The name of the launch follows, and then
 * input_count orderfile_trace_input; nothing is aligned. */
typedef struct orderfile_trace_workload {
  uint64_t command_line; /* of the program's file name and its arguments, a zero byte after each */
  uint32_t name_size;    /* bytes of the name: the name of the trace as it was requested, without folders */
  uint32_t input_count;
} orderfile_trace_workload;

/* A file that the launch reads. Its path follows, as it was named. */
typedef struct orderfile_trace_input {
  uint64_t hash;      /* the hash of the file's contents before the launch */
  uint32_t path_size; /* bytes */
  uint32_t reserved;
} orderfile_trace_input;

#define ORDERFILE_ASSERT_SIZE(type, size) \
  _Static_assert(sizeof(type) == (size), "the layout changed: raise ORDERFILE_TRACE_VERSION")
#ifndef __cplusplus
ORDERFILE_ASSERT_SIZE(orderfile_trace_header, 200 + ORDERFILE_TRACE_PROGRAM_SIZE +
                                                  ORDERFILE_TRACE_TEMPLATE_SIZE +
                                                  ORDERFILE_TRACE_MARK_SIZE + 88);
ORDERFILE_ASSERT_SIZE(orderfile_record, 40);
ORDERFILE_ASSERT_SIZE(orderfile_content, sizeof(orderfile_record));
ORDERFILE_ASSERT_SIZE(orderfile_trace_image, 56);
ORDERFILE_ASSERT_SIZE(orderfile_trace_name, 32);
ORDERFILE_ASSERT_SIZE(orderfile_trace_recordable, 48);
ORDERFILE_ASSERT_SIZE(orderfile_trace_unit, 24);
ORDERFILE_ASSERT_SIZE(orderfile_trace_workload, 16);
ORDERFILE_ASSERT_SIZE(orderfile_trace_input, 16);
#endif
#undef ORDERFILE_ASSERT_SIZE

#endif
