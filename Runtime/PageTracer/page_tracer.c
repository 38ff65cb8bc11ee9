#define _GNU_SOURCE
#include "orderfile_page_tracer.h"

#include "tracer.h"

#if TRACER_IS_SUPPORTED
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

TRACER_BEGIN

/* What a compiler makes of copying a structure: libc's may be watched. */
#define OWN HIDDEN __attribute__((no_builtin, used))
OWN void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
OWN void *memset(void *to, int byte, size_t size) {
  for (size_t i = 0; i < size; i++) ((char *)to)[i] = (char)byte;
  return to;
}

struct orderfile_page_trace *trace;
static uint32_t known_process;

struct orderfile_page_record *trace_claim(uint32_t count) {
  if (trace->stopped) return NULL;
  uint32_t pid = trace_process();
  uint32_t index = __atomic_fetch_add(&trace->next, count, __ATOMIC_RELAXED); /* picks a place */
  if (index > trace->capacity || count > trace->capacity - index) return NULL;
  struct orderfile_page_record *record = &trace->records[index];
  record->pid = pid;
  return record;
}

void trace_finish(struct orderfile_page_record *record, uint32_t kind) {
  __atomic_store_n(&record->kind, kind, __ATOMIC_RELEASE); /* with its fields; for the reader */
}

uint32_t trace_process(void) {
  uint32_t pid = (uint32_t)CALL_0(SYS_getpid);
  uint32_t known = __atomic_exchange_n(&known_process, pid, __ATOMIC_RELAXED); /* one of us sees it */
  if (known == pid || known == 0) return pid;
  struct orderfile_page_record *record = trace_claim(1);
  if (!record) return pid;
  record->address = known;
  trace_finish(record, ORDERFILE_PAGE_FORK);
  return pid;
}

void trace_problem(uint32_t problem, long detail) {
  uint32_t none = 0; /* the first one counts */
  if (__atomic_compare_exchange_n(&trace->problem, &none, problem, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    trace->problem_detail = (int32_t)detail;
}

void trace_stop(void) {
  __atomic_store_n(&trace->stopped, 1, __ATOMIC_RELAXED); /* another thread may add one more */
  gate_selector = GATE_PASS;
  images_release();
}

/* The first process says what the launched program is, which is watched in all of them. */
static void tell_program(void) {
  static const char name[] = "/proc/self/exe";
  uint32_t state = 0;
  if (__atomic_compare_exchange_n(&trace->program_state, &state, 1, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    CALL_4(SYS_readlinkat, AT_FDCWD, name, trace->program, sizeof trace->program - 1);
    __atomic_store_n(&trace->program_state, 2, __ATOMIC_RELEASE); /* with the path */
  }
  while (__atomic_load_n(&trace->program_state, __ATOMIC_ACQUIRE) != 2) CALL_0(SYS_sched_yield);
}

/* Stores the value of the variable NAME in this program's environment, at most SIZE bytes with the null; false
 * if there is none. This library is initialised before libc. */
static bool read_variable(const char *name, char *value, size_t size) {
  static const char environment[] = "/proc/self/environ";
  char text[1024];
  long descriptor = CALL_4(SYS_openat, AT_FDCWD, environment, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return false;
  size_t matched = 0, length = 0;
  bool is_found = false, is_other = false;
  for (long got; !is_found && (got = CALL_3(SYS_read, descriptor, text, sizeof text)) > 0;) {
    for (long i = 0; i < got && !is_found; i++) {
      char c = text[i];
      bool is_value = !is_other && name[matched] == 0;
      if (is_value && length < size) value[length++] = c;
      if (c == 0) {
        is_found = is_value && length < size;
        matched = length = 0;
        is_other = false;
      } else if (!is_value && !is_other) {
        if (c == name[matched]) matched++;
        else is_other = true;
      }
    }
  }
  CALL_2(SYS_close, descriptor, 0);
  return is_found;
}

/* Before all other libraries, libc included: the linker's `-z initfirst`. */
__attribute__((constructor)) static void begin(void) {
  char path[128];
  if (!read_variable(ORDERFILE_PAGES_VARIABLE "=", path, sizeof path)) return;
  long descriptor = CALL_4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return;
  long size = CALL_3(SYS_lseek, descriptor, 0, 2 /* SEEK_END */);
  long memory =
      CALL_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  CALL_2(SYS_close, descriptor, 0);
  if (memory < 0 && memory > -4096) return;
  trace = (struct orderfile_page_trace *)memory;
  if (trace->stopped) return;
  struct orderfile_page_record *record = trace_claim(1);
  if (!record) return;
  trace_finish(record, ORDERFILE_PAGE_BEGIN);
  tell_program();
  signals_take();
  long error = gate_begin();
  if (error) {
    trace_problem(ORDERFILE_PAGE_NO_DISPATCH, -error);
    return;
  }
  images_find();
}

/* Reads a byte of the program's without touching its page. */
static char byte_at(long memory, const char *address) {
  char byte = 0;
  CALL_4(SYS_pread64, memory, &byte, 1, address);
  return byte;
}

void orderfile_rt_mark(const char *name) {
  static const char own_memory[] = "/proc/self/mem";
  if (!trace || !trace->stop_mark[0]) return;
  long memory = CALL_4(SYS_openat, AT_FDCWD, own_memory, O_RDONLY | O_CLOEXEC, 0);
  if (memory < 0) return;
  const char *wanted = trace->stop_mark;
  while (*wanted && byte_at(memory, name) == *wanted) name++, wanted++;
  bool is_same = !*wanted && !byte_at(memory, name);
  CALL_2(SYS_close, memory, 0);
  if (is_same) trace_stop();
}

void orderfile_rt_stop(void) {
  if (trace) trace_stop();
}

TRACER_END
#else
/* Where system calls can't be stopped from within, `orderfile pages` traces from outside. */
void orderfile_rt_mark(const char *name) { (void)name; }
void orderfile_rt_stop(void) {}
#endif
