/* orderfile_page_trace.h: the shared memory between the page tracer in a program and the command, and all
 * constants that both use.
 *
 * Both map the memory. The command creates it, and it is never a file on a disk, so that a full disk
 * cannot disturb the program. Nobody else reads it: both sides belong to one build, and it has no version.
 *
 * The command fills in the request and starts the program. The tracer in each of its processes claims
 * records by an atomic addition to `next`, fills them in, and stores the kind last: a release, which pairs
 * with the acquire of the command. */
#ifndef ORDERFILE_PAGE_TRACE_H
#define ORDERFILE_PAGE_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* The variable whose value is the path of that memory. */
#define ORDERFILE_PAGES_VARIABLE "ORDERFILE_PAGES"

enum orderfile_page_record_kind {
  ORDERFILE_PAGE_UNFINISHED = 0,
  ORDERFILE_PAGE_TOUCH = 1,
  /* Process PID begins to run a program: images loaded before are gone. */
  ORDERFILE_PAGE_BEGIN = 2,
  /* Process PID continues with the images of process ADDRESS. */
  ORDERFILE_PAGE_FORK = 3,
  /* An image is loaded from ADDRESS up to VALUE. A struct orderfile_page_image and the image's path, together DETAIL bytes
   * with the null, are in the following records. */
  ORDERFILE_PAGE_IMAGE = 4,
  /* Process PID calls exec. The program's path, DETAIL bytes with the null, is in the following records. If no
   * ORDERFILE_PAGE_BEGIN of PID follows, the program has not loaded the tracer. */
  ORDERFILE_PAGE_EXEC = 5,
  /* The exec of process PID failed: the process goes on with its own program. */
  ORDERFILE_PAGE_EXEC_FAILED = 6,
};

enum orderfile_page_access {
  ORDERFILE_PAGE_READ = 1,
  ORDERFILE_PAGE_WRITE = 2,
  ORDERFILE_PAGE_EXECUTE = 4,
  /* By the kernel, in a system call. */
  ORDERFILE_PAGE_KERNEL = 8,
};

struct orderfile_page_record {
  uint32_t kind; /* orderfile_page_record_kind; stored last */
  uint32_t pid;
  uint64_t address; /* for a touch: the loaded address of the touched byte */
  uint64_t value;   /* for a touch: the loaded address of the instruction */
  uint32_t detail;  /* for a touch: an orderfile_page_access */
  uint32_t reserved;
};

/* The build of an image in memory: the device and inode of its file, as the process's mappings show them, and the ID in
 * its headers and notes. */
struct orderfile_page_image {
  uint64_t device; /* major number << 32 | minor number */
  uint64_t inode;  /* 0 if the file is unknown */
  uint32_t id_size; /* 0 if the headers are not in memory */
  uint32_t id_is_weak;
  uint8_t id[64];
};

/* Why a trace is not exact, or missing; 0 if it is exact. */
enum orderfile_page_problem {
  ORDERFILE_PAGE_NO_PROBLEM = 0,
  /* The kernel does not let a program intercept its own system calls; DETAIL is the errno. */
  ORDERFILE_PAGE_NO_DISPATCH = 1,
  /* Protection of a page could not be changed; DETAIL is the errno. */
  ORDERFILE_PAGE_REFUSED = 2,
  /* The program restricts its system calls. */
  ORDERFILE_PAGE_SECCOMP = 3,
  /* The program intercepts its own system calls. */
  ORDERFILE_PAGE_DISPATCHED = 4,
  /* A process asked its parent to trace it, so the parent gets the signals. */
  ORDERFILE_PAGE_TRACED = 5,
  /* A program made a 32-bit system call: INT 0x80. */
  ORDERFILE_PAGE_FOREIGN_CALL = 6,
};

struct orderfile_page_trace {
  uint32_t capacity; /* in records */
  uint32_t next;     /* may exceed the capacity: the excess is lost */
  /* Set by the first process: 0 at first, 1 while it writes its program's path, 2 afterwards. */
  uint32_t program_state;
  uint32_t stopped;
  uint32_t problem; /* orderfile_page_problem */
  int32_t problem_detail;
  /* 1 + the number of the first system call whose memory is unknown; 0 if there was none. Reads and writes after the
   * call are not seen. */
  uint32_t unknown_call;
  uint32_t unknown_is_later; /* the kernel may use memory after the call: io_uring */
  /* Whether the process that comes to the mark stops, with all its threads, until the command lets it continue. */
  uint32_t stops_process;
  /* The number of the process that stops at the mark; 0 before a process stops, UINT32_MAX when it continues. */
  uint32_t stopped_process;
  /* The place to stop: the distance in bytes from the load address of the image at `stop_path`; 0 if there is no such
   * place. */
  uint64_t stop_distance;
  struct orderfile_page_image stop_image; /* the build to which the place belongs */
  char stop_mark[256]; /* the mark at which to stop; empty for none */
  char stop_path[4096];
  char program[4096]; /* the launched program, without links */
  /* Images to watch in addition, each path ended by a line feed; "*" for all. */
  char images[61440];
  struct orderfile_page_record records[];
};

/* The command and the library are linked separately: a changed layout changes in both, or fails to compile
 * in one. */
#define ORDERFILE_PAGE_ASSERT(condition) \
  _Static_assert(condition, "the page tracer and the command no longer agree")
ORDERFILE_PAGE_ASSERT(sizeof(struct orderfile_page_record) == 32);
ORDERFILE_PAGE_ASSERT(offsetof(struct orderfile_page_record, detail) == 24);
ORDERFILE_PAGE_ASSERT(offsetof(struct orderfile_page_trace, stop_distance) == 40);
ORDERFILE_PAGE_ASSERT(offsetof(struct orderfile_page_trace, stop_path) == 392);
ORDERFILE_PAGE_ASSERT(offsetof(struct orderfile_page_trace, images) == 8584);
ORDERFILE_PAGE_ASSERT(sizeof(struct orderfile_page_image) == 88);
ORDERFILE_PAGE_ASSERT(sizeof(struct orderfile_page_trace) == 70024);
#undef ORDERFILE_PAGE_ASSERT

#endif
