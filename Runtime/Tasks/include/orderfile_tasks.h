/* orderfile_tasks.h: start-up work that registers itself, for C11, C++11 and Objective-C.
 *
 * A task is a function that an app runs once at launch. Its source file registers it, so there is no central list:
 *
 *     #include <orderfile_tasks.h>
 *
 *     static void open_database(void) { ... }
 *     ORDERFILE_TASK("first screen", "database", open_database)
 *
 * The app says when the tasks of a stage run:
 *
 *     int main(void) {
 *       orderfile_run_tasks("first screen");
 *
 * Link orderfile_tasks.o into the program. An app chooses the names of its stages. To postpone a task, change the stage
 * in its registration. To run tasks before main, in place of a constructor or a +load method, call
 * orderfile_run_tasks in one constructor.
 *
 * A registration is a constant in a section of its own, so it costs no code, no constructor and no work at launch until
 * its stage runs. Linkers keep registrations in spite of --gc-sections, -dead_strip and link-time optimization. They do
 * not link a member of a static archive that nothing refers to: link such an archive with --whole-archive or
 * -force_load.
 */
#ifndef ORDERFILE_TASKS_H
#define ORDERFILE_TASKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ORDERFILE_TASK_VERSION = 1,
  /* The room for a stage and for a name, in bytes, with the null that ends each. */
  ORDERFILE_TASK_STAGE_SIZE = 28,
  ORDERFILE_TASK_NAME_SIZE = 48,
};

/* A registered task, as it is in its section: orderfile_tasks (ELF) or __DATA,__of_tasks (Mach-O). Names are in the
 * descriptor itself, so that a Swift tuple can be a descriptor. Numbers have the byte order of the machine. */
struct orderfile_task {
  uint16_t version;         /* ORDERFILE_TASK_VERSION; a runtime does not run a task of a later version */
  uint16_t size;            /* of this descriptor in bytes, a multiple of 8; 0 in the padding between descriptors */
  int32_t priority;         /* within a stage, tasks with a lower number run first */
  void (*function)(void);
  uint32_t flags;           /* 0; a runtime does not run a task with flags that it does not know */
  char stage[ORDERFILE_TASK_STAGE_SIZE];
  char name[ORDERFILE_TASK_NAME_SIZE];
};

/* Why a task did not run. */
enum orderfile_task_error {
  /* Its image registers another task of this stage and name, which has run. */
  ORDERFILE_TASK_IS_DUPLICATE = 1,
  /* This runtime does not know the version or the flags of the task, or no null ends its name. */
  ORDERFILE_TASK_IS_UNKNOWN = 2,
  /* The process has run 2048 tasks, and the runtime has no room to note another one. */
  ORDERFILE_TASKS_ARE_TOO_MANY = 3,
};

/* Runs the tasks of STAGE that have not run yet, of all loaded images, on the calling thread. Returns how many it ran.
 *
 * Tasks run by ascending priority, then by name (as bytes), then in the order in which their images were loaded: the
 * same order in every build. A task runs once in a process, even if its image is unloaded and loaded again: the image
 * ID, the stage and the name identify the task. If an image registers a stage and name twice, the task that comes first
 * runs, and the other task is an error. Stages are compared as bytes; without a task of STAGE the call does nothing.
 *
 * May be called from any thread and from a task, also for the same stage, but not from a signal handler. It allocates
 * no memory, and no lock is held while a task runs. If two threads run a stage at the same time, each of its tasks runs
 * on one of them, and a call may return before a task on the other thread has ended. A task may load or unload images:
 * tasks of the stage in a new image take their place in the order among the tasks that are left. No other thread may
 * unload an image with tasks of STAGE until the call returns. A task that throws or that calls longjmp leaves this
 * function and counts as run; the next call runs the others.
 *
 * Each task sets two marks, "begin task NAME of STAGE" and "end task NAME of STAGE", if the recorder is linked into
 * the same image (orderfile_runtime.h). STAGE is in double quotes if it contains " of ". */
int orderfile_run_tasks(const char *stage);

/* Makes HANDLER the function that is called once for each task that does not run because of an error. After
 * ORDERFILE_TASKS_ARE_TOO_MANY, orderfile_run_tasks returns, so each call of it can have this error again. IMAGE is the
 * path of the task's image. With ORDERFILE_TASK_IS_UNKNOWN, the task's name may have no null. The handler is called on
 * the thread that runs the stage. NULL brings back the default, which writes a line to standard error. */
void orderfile_handle_task_errors(void (*handler)(enum orderfile_task_error error,
                                                  const struct orderfile_task *task, const char *image));

#ifdef __cplusplus
}
#endif

/* Registers FUNCTION, a `void (void)`, as task NAME of STAGE. STAGE and NAME are string literals of at most 27 and 47
 * bytes. Use it at file scope. */
#define ORDERFILE_TASK(stage, name, function) ORDERFILE_TASK_AT(stage, name, function, 0)

/* The same with a priority, a constant number; ORDERFILE_TASK has 0. */
#define ORDERFILE_TASK_AT(stage, name, function, priority) \
  ORDERFILE_TASK_NUMBERED(stage, name, function, priority, __COUNTER__)

/* The rest is for the macros above. */
#define ORDERFILE_TASK_NUMBERED(stage, name, function, priority, number) \
  ORDERFILE_TASK_REGISTER(stage, name, function, priority, number)

#ifdef __cplusplus
#define ORDERFILE_TASK_ASSERT static_assert
#else
#define ORDERFILE_TASK_ASSERT _Static_assert
#endif
ORDERFILE_TASK_ASSERT(sizeof(struct orderfile_task) == 96 && offsetof(struct orderfile_task, name) == 48,
                      "tasks need 64-bit pointers");

#if defined(__APPLE__)
#define ORDERFILE_TASK_SECTION "__DATA,__of_tasks"
#define ORDERFILE_TASK_PLACE section(ORDERFILE_TASK_SECTION ",regular,no_dead_strip")
#define ORDERFILE_TASK_CONST const
#define ORDERFILE_TASK_NOTE
#else
#define ORDERFILE_TASK_SECTION "orderfile_tasks"
/* Descriptors are not const: only in position-independent code would the section of a const descriptor be writable, and
 * mold does not join the writable and the read-only sections of object files. */
#define ORDERFILE_TASK_CONST
#if defined(__has_attribute)
#if __has_attribute(retain)
#define ORDERFILE_TASK_PLACE section(ORDERFILE_TASK_SECTION), retain
#endif
#endif
#if !defined(ORDERFILE_TASK_PLACE)
/* The note refers to the section, which keeps it, except in lld since version 13: there link with
 * -z nostart-stop-gc. */
#define ORDERFILE_TASK_PLACE section(ORDERFILE_TASK_SECTION)
#endif
/* The note by which the runtime finds the section in the memory of each image: the distances from its two numbers to
 * the begin and the end of the section, so that the note needs no relocation at launch. Its owner is "orderfile", its
 * type 1. Each file has it once; the runtime reads the first one of an image. */
#define ORDERFILE_TASK_NOTE                                                       \
  __asm__(                                                                        \
      ".ifndef .Lorderfile_tasks\n"                                               \
      ".pushsection .note.orderfile.tasks,\"a\",%note\n"                          \
      ".balign 4\n"                                                               \
      ".Lorderfile_tasks:\n"                                                      \
      ".long 10, 8, 1\n"                                                          \
      ".asciz \"orderfile\"\n"                                                    \
      ".balign 4\n"                                                               \
      ".hidden __start_orderfile_tasks\n"                                         \
      ".hidden __stop_orderfile_tasks\n"                                          \
      ".long __start_orderfile_tasks - .\n"                                       \
      ".long __stop_orderfile_tasks - .\n"                                        \
      ".popsection\n"                                                             \
      ".endif\n");
#endif

/* The address sanitizer would put redzones between the descriptors. gcc puts none around variables that have a section
 * attribute. */
#if defined(__clang__)
#define ORDERFILE_TASK_PLAIN no_sanitize("address", "hwaddress"),
#else
#define ORDERFILE_TASK_PLAIN
#endif

#define ORDERFILE_TASK_REGISTER(stage, name, function, priority, number)                                \
  ORDERFILE_TASK_ASSERT(sizeof("" stage) <= ORDERFILE_TASK_STAGE_SIZE,                                  \
                        "the name of a stage has at most 27 bytes");                                    \
  ORDERFILE_TASK_ASSERT(sizeof("" name) <= ORDERFILE_TASK_NAME_SIZE,                                    \
                        "the name of a task has at most 47 bytes");                                     \
  ORDERFILE_TASK_NOTE                                                                                   \
  static ORDERFILE_TASK_CONST struct orderfile_task orderfile_task_##number                             \
      __attribute__((ORDERFILE_TASK_PLAIN used, aligned(8), ORDERFILE_TASK_PLACE)) = {                  \
          ORDERFILE_TASK_VERSION, sizeof(struct orderfile_task), (priority), (function), 0, "" stage,   \
          "" name};

#endif
