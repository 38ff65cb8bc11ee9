/* The stage tracer: a library that `orderfile stages` has glibc's loader load beside a program (LD_AUDIT).
 *
 * Idea. The loader calls an auditor when it begins to load libraries, when it has mapped one, and when all are
 * relocated: <rtld-audit(7)>. Each call stores a time. The loader makes no such call for initializers. So when an
 * object has been mapped, its dynamic section is changed, before anybody reads it: the loader finds a function of this
 * library before the object's first initializer and after each initializer, and calls this function, too. The loader
 * itself still calls the object's initializers. This library does not call them, because dlopen(3) looks at its caller,
 * which would be the caller's caller after a tail call. The program itself is treated in the same way, because glibc's
 * startup code (since 2.34) reads its dynamic section, too; main runs afterwards.
 *
 * An auditor is in a namespace of its own, so that the program's symbols are looked up as without it. It needs neither
 * libc nor relocation. It has no functions that are called for symbols, because with such a function glibc would route
 * each call between libraries through the auditor.
 *
 * What it costs: a system call for each time, and the loading of this library. A child process would have these costs,
 * too. So the environment variables that load this library are removed before the first initializer runs.
 *
 * What it leaves out: DT_PREINIT_ARRAY, DT_INIT without DT_INIT_ARRAY, initializers on other threads, libraries that
 * are opened after main began, start-up tasks on other threads, and programs whose startup code is older than glibc
 * 2.34. The initializers of such a program count as a part of main. */
#define _GNU_SOURCE
#include "orderfile_stage_tracer.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <elf.h>
#include <fcntl.h>
#include <of_atomics.h>
#include <of_bytes.h>
#include <of_linux_syscall.h>
#include <orderfile_stage_trace.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

typedef void of_initializer(int, char **, char **);

/* An object between whose initializers this library is called. */
struct of_object {
  uintptr_t base;
  of_initializer *first;            /* DT_INIT; NULL if there is none */
  of_initializer *const *functions; /* DT_INIT_ARRAY, relocated when the object is initialized */
  uint64_t count;
  of_initializer **slots; /* the array that the loader takes for DT_INIT_ARRAY */
  uint64_t calls;         /* the number of calls of of_stamp so far */
};

static OF_DATA struct orderfile_stage_trace *of_trace; /* NULL: trace nothing */
static OF_DATA struct of_object of_objects[ORDERFILE_STAGE_OBJECTS];
static OF_DATA uint32_t of_object_count;
static OF_DATA of_initializer *of_slots[ORDERFILE_STAGE_SLOTS];
static OF_DATA uint64_t of_slot_count;
static OF_DATA long of_first_thread;
static OF_DATA bool of_is_clean; /* whether the environment was cleaned */
static OF_DATA struct orderfile_stage_trace *of_marks; /* as of_trace, which is NULL after main began */

OF_LOCAL uint64_t of_now(void) {
  struct timespec time;
  OF_SYSCALL_2(__NR_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The counter that glibc calls cycles in LD_DEBUG=statistics. On machines other than x86 it is the clock. */
OF_LOCAL uint64_t of_counter(uint64_t now) {
#if defined(__x86_64__)
  (void)now;
  return __builtin_ia32_rdtsc();
#else
  return now;
#endif
}

/* Stores a record. Only the first thread calls this. */
OF_LOCAL void of_store_in(struct orderfile_stage_trace *trace, uint32_t kind, uint32_t object,
                          uint64_t now, uint64_t value, const char *name) {
  uint64_t size = name ? of_length(name) + 1 : 0;
  uint64_t room = sizeof(struct orderfile_stage_record) + ((size + 7) & ~7ull);
  if (room > ORDERFILE_STAGE_MEMORY_SIZE - trace->used) {
    trace->lost++;
    return;
  }
  struct orderfile_stage_record *record =
      (struct orderfile_stage_record *)((char *)trace + trace->used);
  record->object = object;
  record->nanoseconds = now;
  record->value = value;
  record->name_size = size;
  of_copy(record + 1, name, size);
  trace->used += room;
  /* release: publishes the record to the command, which reads when the program has ended or is stopped */
  of_store_release(&record->kind, kind);
}

OF_LOCAL void of_store(uint32_t kind, uint32_t object, uint64_t now, uint64_t value,
                       const char *name) {
  of_store_in(of_trace, kind, object, now, value, name);
}

OF_LOCAL bool of_is_first_thread(void) {
  return OF_SYSCALL_1(__NR_gettid, 0) == of_first_thread;
}

/* Reads the value of the first variable of the environment, if it is ours; at most SIZE bytes with the null. */
OF_LOCAL bool of_read_path(char *value, long size) {
  static const char environment[] = "/proc/self/environ", name[] = ORDERFILE_STAGES_VARIABLE "=";
  long descriptor = OF_SYSCALL_4(__NR_openat, AT_FDCWD, environment, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return false;
  long count = OF_SYSCALL_3(__NR_read, descriptor, value, size);
  OF_SYSCALL_1(__NR_close, descriptor);
  const long length = sizeof name - 1;
  if (count <= length || !of_equal(value, name, length)) return false;
  long end = length;
  while (end < count && value[end]) end++;
  if (end == count) return false;
  of_copy(value, value + length, (uint64_t)(end + 1 - length));
  return true;
}

unsigned la_version(unsigned version) {
  uint64_t now = of_now();
  uint64_t counter = of_counter(now);
  char path[256];
  if (!of_read_path(path, sizeof path)) return 0;
  long descriptor = OF_SYSCALL_4(__NR_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  long memory = OF_SYSCALL_6(__NR_mmap, 0, ORDERFILE_STAGE_MEMORY_SIZE, PROT_READ | PROT_WRITE,
                             MAP_SHARED, descriptor, 0);
  OF_SYSCALL_1(__NR_close, descriptor);
  if (memory < 0 && memory > -4096) return 0;
  of_trace = (struct orderfile_stage_trace *)memory;
  if (of_trace->used) return 0; /* another process was here first */
  of_marks = of_trace;
  of_trace->used = sizeof *of_trace;
  of_first_thread = OF_SYSCALL_1(__NR_gettid, 0);
  of_store(ORDERFILE_STAGE_VERSION, 0, now, counter, (const char *)0);
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

void la_activity(uintptr_t *cookie, unsigned flag) {
  (void)cookie;
  if (!of_trace || !of_is_first_thread()) return;
  of_store(flag == LA_ACT_ADD ? ORDERFILE_STAGE_LOADING : ORDERFILE_STAGE_RELOCATED, 0, of_now(), 0,
           (const char *)0);
}

/* Removes from ENVIRONMENT what the command has put there; an auditor of the user's stays. */
OF_LOCAL void of_clean(char **environment) {
  static const char *const own[] = {ORDERFILE_STAGES_VARIABLE "=", "LD_DEBUG=",
                                    "LD_DEBUG_OUTPUT="};
  static const char auditors[] = "LD_AUDIT=";
  char **to = environment;
  for (char **from = environment; *from; from++) {
    bool is_own = false;
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
      if (of_equal(*from, own[i], of_length(own[i]))) is_own = true;
    if (of_equal(*from, auditors, sizeof auditors - 1)) {
      char *value = *from + sizeof auditors - 1, *other = value;
      while (*other && *other != ':') other++;
      is_own = !*other;
      if (!is_own) of_copy(value, other + 1, of_length(other + 1) + 1);
    }
    if (!is_own) *to++ = *from;
  }
  *to = (char *)0;
}

extern OF_HIDDEN const char of_entries[];
OF_LOCAL of_initializer *of_entry(uint32_t index) {
  return (of_initializer *)((uintptr_t)of_entries + 16u * index);
}

/* Returns initializer NUMBER of an object, DT_INIT first. */
OF_LOCAL of_initializer *of_function(const struct of_object *object, uint64_t number) {
  if (object->first && number-- == 0) return object->first;
  return object->functions[number];
}

/* Called before the first and after each initializer of object INDEX, by the loader, as if it were one of them. */
OF_INTERNAL __attribute__((used)) void of_stamp(int count, char **arguments, char **environment, uint32_t index);
void of_stamp(int count, char **arguments, char **environment, uint32_t index) {
  (void)count, (void)arguments;
  struct of_object *object = &of_objects[index];
  uint64_t number = object->calls++, all = object->count + (object->first ? 1 : 0);
  uint64_t now = of_trace ? of_now() : 0;
  if (number == 0) {
    if (!of_is_clean) {
      of_clean(environment);
      of_is_clean = true;
    }
    /* The loader reads each slot only when it calls the function there. */
    of_initializer **slot = object->slots;
    if (!object->first) *slot++ = of_entry(index);
    for (uint64_t i = 0; i < all; i++) {
      *slot++ = of_function(object, i);
      *slot++ = of_entry(index);
    }
    now = of_trace ? of_now() : 0;
  }
  if (!of_trace || !of_is_first_thread()) return;
  if (number == 0)
    of_store(ORDERFILE_STAGE_BEGIN, index, now, 0, (const char *)0);
  else
    of_store(ORDERFILE_STAGE_FUNCTION, index, now,
             (uint64_t)(uintptr_t)of_function(object, number - 1) - object->base, (const char *)0);
  if (number != all) return;
  of_store(ORDERFILE_STAGE_END, index, now, 0, (const char *)0);
  if (index) return;
  /* The program itself. */
  of_store(ORDERFILE_STAGE_MAIN, index, now, of_counter(now), (const char *)0);
  of_trace = (struct orderfile_stage_trace *)0;
}

/* Functions of 16 bytes each, one for each object, which call of_stamp with its index as the fourth argument. */
_Static_assert(ORDERFILE_STAGE_OBJECTS == 1024, "the number below");
__asm__(".text\n.balign 16\n.hidden of_entries\n.globl of_entries\nof_entries:\n.set of_index, 0\n"
        ".rept 1024\n.balign 16\n"
#if defined(__x86_64__)
        "endbr64\nmov $of_index, %ecx\njmp of_stamp\n"
#else
        "hint 34\nmov w3, of_index\nb of_stamp\n" /* hint 34: bti c */
#endif
        ".set of_index, of_index + 1\n.endr\n.balign 16\n");

/* Makes the pages that hold SIZE bytes at ADDRESS writable. */
OF_LOCAL bool of_make_writable(uintptr_t address, uintptr_t size) {
  /* The size of pages is unknown here; the kernel refuses a size that is too small. */
  for (uintptr_t page = 4096; page <= 65536; page *= 4) {
    uintptr_t start = address & ~(page - 1);
    if (OF_SYSCALL_3(__NR_mprotect, start, address + size - start, PROT_READ | PROT_WRITE) == 0)
      return true;
  }
  return false;
}

/* Changes the dynamic section SECTION, so that the loader calls this library between the initializers of object INDEX.
 * The slots are filled when the initializers are relocated. */
OF_LOCAL bool of_divert(ElfW(Dyn) *section, struct of_object *object, uint32_t index) {
  ElfW(Dyn) *first = 0, *array = 0, *size = 0, *end = section;
  for (; end->d_tag != DT_NULL; end++) {
    if (end->d_tag == DT_INIT) first = end;
    if (end->d_tag == DT_INIT_ARRAY) array = end;
    if (end->d_tag == DT_INIT_ARRAYSZ) size = end;
  }
  if (!array || !size) return false;
  uint64_t count = size->d_un.d_val / sizeof(of_initializer *);
  uint64_t slots = 2 * count + (first ? 2 : 1);
  if (count > ORDERFILE_STAGE_SLOTS || slots > ORDERFILE_STAGE_SLOTS - of_slot_count) {
    of_trace->lost++;
    return false;
  }
  if (!of_make_writable((uintptr_t)section, (uintptr_t)end - (uintptr_t)section)) return false;
  object->slots = &of_slots[of_slot_count];
  of_slot_count += slots;
  object->functions = (of_initializer *const *)(object->base + array->d_un.d_ptr);
  object->count = count;
  if (first) {
    object->first = (of_initializer *)(object->base + first->d_un.d_ptr);
    first->d_un.d_ptr = (uintptr_t)of_entry(index) - object->base;
  } else {
    object->slots[0] = of_entry(index);
  }
  array->d_un.d_ptr = (uintptr_t)object->slots - object->base;
  size->d_un.d_val = slots * sizeof(of_initializer *);
  return true;
}

/* The code that runs start-up tasks calls this for each mark (Runtime/Tasks/orderfile_tasks.c). */
OF_LOCAL void of_observe(const char *mark) {
  if (!of_is_first_thread()) return; /* nor does a forked child store marks: it shares the memory */
  of_store_in(of_marks, ORDERFILE_STAGE_MARK, 0, of_now(), 0, mark);
}

/* If the object at BASE runs start-up tasks, makes it call of_observe: a note with the owner "orderfile" and type 2 has
 * the distance from its number to the pointer that is called. The object has COUNT program headers at SEGMENTS. */
OF_LOCAL void of_observe_tasks(const Elf64_Phdr *segments, uint64_t count, uintptr_t base) {
  static const char owner[] = "orderfile";
  const uint64_t size = sizeof(Elf64_Nhdr) + 12 + 4; /* the owner is padded to 12 bytes */
  for (uint64_t i = 0; i < count; i++) {
    if (segments[i].p_type != PT_NOTE) continue;
    /* mold puts notes of different padding into one segment: each word can begin a note. */
    for (uint64_t place = 0; place + size <= segments[i].p_memsz; place += 4) {
      const char *bytes = (const char *)(base + segments[i].p_vaddr + place);
      const Elf64_Nhdr *note = (const Elf64_Nhdr *)(const void *)bytes;
      if (note->n_type != 2 || note->n_namesz != sizeof owner || note->n_descsz < 4) continue;
      if (!of_equal(bytes + sizeof *note, owner, sizeof owner)) continue;
      const char *number = bytes + size - 4;
      *(void (**)(const char *))(number + *(const int32_t *)(const void *)number) = of_observe;
      return;
    }
  }
}

/* Calls of_observe_tasks for the program, whose headers the kernel states in the auxiliary vector. */
OF_LOCAL void of_observe_tasks_of_program(uintptr_t base) {
  static const char vector[] = "/proc/self/auxv";
  Elf64_auxv_t values[64];
  long descriptor = OF_SYSCALL_4(__NR_openat, AT_FDCWD, vector, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return;
  long size = OF_SYSCALL_3(__NR_read, descriptor, values, sizeof values);
  OF_SYSCALL_1(__NR_close, descriptor);
  uint64_t segments = 0, count = 0;
  for (long i = 0; i < size / (long)sizeof *values; i++) {
    if (values[i].a_type == AT_PHDR) segments = values[i].a_un.a_val;
    if (values[i].a_type == AT_PHNUM) count = values[i].a_un.a_val;
  }
  if (segments) of_observe_tasks((const Elf64_Phdr *)segments, count, base);
}

/* Calls of_observe_tasks for a library, whose file begins at BASE. */
OF_LOCAL void of_observe_tasks_of_library(uintptr_t base) {
  unsigned char is_in_memory;
  if (!base || OF_SYSCALL_3(__NR_mincore, base, 1, &is_in_memory) != 0) return; /* nothing is mapped at BASE */
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
  if (!of_equal(header->e_ident, ELFMAG, SELFMAG)) return;
  of_observe_tasks((const Elf64_Phdr *)(base + header->e_phoff), header->e_phnum, base);
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  (void)cookie;
  if (!of_trace || space != LM_ID_BASE || !of_is_first_thread()) return 0;
  if (of_object_count == ORDERFILE_STAGE_OBJECTS) {
    of_trace->lost++;
    return 0;
  }
  uint32_t index = of_object_count++;
  of_store(ORDERFILE_STAGE_OBJECT, index, of_now(), map->l_addr, map->l_name);
  of_objects[index].base = map->l_addr;
  of_divert(map->l_ld, &of_objects[index], index);
  if (index == 0)
    of_observe_tasks_of_program(map->l_addr);
  else
    of_observe_tasks_of_library(map->l_addr);
  return 0;
}
#endif
