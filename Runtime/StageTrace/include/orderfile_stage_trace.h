/* orderfile_stage_trace.h: the memory between the stage tracer in a program and the command.
 *
 * The command creates it, as memory and never as a file on a disk, so that a full disk cannot disturb the program. The
 * tracer maps it, and writes records one after the other. Both sides belong to one build, so the format has no version.
 * Numbers have the byte order of the machine. */
#ifndef ORDERFILE_STAGE_TRACE_H
#define ORDERFILE_STAGE_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* The variable whose value is the path of that memory. It is the first variable of the environment. */
#define ORDERFILE_STAGES_VARIABLE "ORDERFILE_STAGES"

enum {
  ORDERFILE_STAGE_MEMORY_SIZE = 4 << 20,
  /* Objects whose initializers are timed. */
  ORDERFILE_STAGE_OBJECTS = 1024,
  /* Slots for the calls of all their initializers, and of the tracer between them. */
  ORDERFILE_STAGE_SLOTS = 1 << 16,
};

enum orderfile_stage_kind {
  ORDERFILE_STAGE_UNFINISHED = 0,
  /* The loader calls the tracer for the first time. VALUE is the machine's counter at that time. */
  ORDERFILE_STAGE_VERSION = 1,
  /* The loader begins to load libraries; it has relocated them or, after the first time, mapped them. */
  ORDERFILE_STAGE_LOADING = 2,
  ORDERFILE_STAGE_RELOCATED = 3,
  /* The loader has mapped object OBJECT at VALUE. The object's name follows the record; it is empty for the program. */
  ORDERFILE_STAGE_OBJECT = 4,
  /* The initializers of OBJECT begin; the initializer at VALUE has returned; all initializers have returned. */
  ORDERFILE_STAGE_BEGIN = 5,
  ORDERFILE_STAGE_FUNCTION = 6,
  ORDERFILE_STAGE_END = 7,
  /* The initializers of the program have returned. VALUE is the machine's counter at that time. */
  ORDERFILE_STAGE_MAIN = 8,
  /* A start-up task begins or has ended, on the first thread. The name of the mark follows the record. */
  ORDERFILE_STAGE_MARK = 9,
};

struct orderfile_stage_record {
  uint32_t kind; /* orderfile_stage_kind; stored last */
  uint32_t object;
  uint64_t nanoseconds; /* of CLOCK_MONOTONIC */
  uint64_t value;
  uint64_t name_size; /* bytes of the name that follows, with its null; padded to 8 */
};

struct orderfile_stage_trace {
  uint64_t used; /* the used bytes, including this header */
  uint64_t lost; /* records for which there was no room, and objects beyond ORDERFILE_STAGE_OBJECTS */
};

#define ORDERFILE_STAGE_ASSERT(condition) \
  _Static_assert(condition, "the stage tracer and the command no longer agree")
ORDERFILE_STAGE_ASSERT(sizeof(struct orderfile_stage_trace) == 16);
ORDERFILE_STAGE_ASSERT(sizeof(struct orderfile_stage_record) == 32);
ORDERFILE_STAGE_ASSERT(offsetof(struct orderfile_stage_record, value) == 16);
#undef ORDERFILE_STAGE_ASSERT

#endif
