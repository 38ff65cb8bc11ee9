/* Launches one program and waits for it, with the instants that a trace needs. The state is that of the launched
 * program, of signals and of adopted orphans. */
#ifndef CPROCESS_H
#define CPROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* The process group of a program. */
enum cprocess_group {
  CPROCESS_SHARED_GROUP,  /* the group of this process */
  CPROCESS_OWN_GROUP,     /* a group that the program leads */
  CPROCESS_SHELL_SESSION, /* a session, and so a group, that the program, a shell, leads. What it runs has no terminal:
                           * reading one fails, instead of stopping the group. The group gets SIGTERM, not SIGINT,
                           * because a shell that gets SIGINT between two commands goes on with the next */
  CPROCESS_TERMINAL_SESSION, /* a session that the program leads, and whose terminal is the program's standard input.
                              * The group gets SIGHUP, as from a terminal that is closed, instead of other signals */
};

/* The descriptors, above 2, that a program gets as its standard input, output and error; -1: the stream of this
 * process. */
struct cprocess_streams {
  int descriptors[3];
};

/* Returns an environment: VARIABLES, which are entries "NAME=value" and end with NULL, then this process's environment
 * without the entries that VARIABLES replaces. The caller frees it. Returns NULL if there is no memory. */
char *_Nullable *_Nullable cprocess_environment(char *_Nullable const *_Nonnull variables);

/* Starts ARGUMENTS[0], looked up in PATH.
 *
 * ARGUMENTS and VARIABLES end with NULL. VARIABLES has entries "NAME=value", which replace those in this process's
 * environment. FOLDER is the program's working directory; NULL: as this process. All belong to the caller. If
 * GROUP is a group that the program leads, the program gets the terminal if this process has it and shares it as
 * standard input. *START is set to the time just before the start, in nanoseconds since boot (CLOCK_BOOTTIME).
 *
 * From this call until cprocess_wait reports the end, SIGINT, SIGQUIT, SIGTERM and SIGHUP don't end this process.
 * SIGTERM and SIGHUP are passed on to the program. SIGINT and SIGQUIT are not, because the terminal sends them to the
 * program, too. If the program leads its own group, all four are passed on to the group.
 *
 * If TRACER is the number of a process, and not 0, the program waits before its first instruction until
 * cprocess_let_go, and that process may trace it.
 *
 * Returns 0 or an errno, including those of execvp(3), and ENOTSUP for a TRACER on a system without a suitable
 * ptrace(2). Only one program can run at a time. */
int cprocess_start(char *_Nullable const *_Nonnull arguments,
                  char *_Nullable const *_Nonnull variables, const char *_Nullable folder,
                  const struct cprocess_streams *streams, enum cprocess_group group, pid_t tracer, pid_t *pid, uint64_t *start);

/* Lets the waiting program begin if MAY_BEGIN is true, and ends it if not. Returns 0, or the errno of execvp(3) if the
 * program could not begin; its process is then gone. */
int cprocess_let_go(bool may_begin);

/* Makes SIGINT, SIGTERM and SIGHUP end waits instead of this process. cprocess_was_interrupted returns whether such a
 * signal has come, also while a program runs to which it was passed on. Ignored signals stay ignored. */
void cprocess_catch_interrupts(void);
bool cprocess_was_interrupted(void);

/* Returns when process PID started, field 22 of /proc/PID/stat; 0 if the process is gone. */
uint64_t cprocess_start_time(pid_t pid);

/* Waits for the program. TIMEOUT is in milliseconds, negative for no limit.
 *
 * Returns 1 with the *STATUS of wait(2), 0 if the time ran out, or -errno. */
int cprocess_wait(pid_t pid, int64_t timeout, int *status);

/* Waits until the child PID has ended, and leaves its status to waitpid. Returns 1, 0 if MILLISECONDS have
 * passed, or -errno. */
int cprocess_wait_for_end(pid_t pid, int64_t milliseconds);

/* Sends SIGNAL to the process group that PID leads; false if the group has no process. */
bool cprocess_signal_group(pid_t pid, int signal);

/* Whether process PID is still there and is the one that started at START_TIME, field 22 of /proc/PID/stat. A process
 * that has ended and waits for its parent does not count. */
bool cprocess_is_running(pid_t pid, uint64_t start_time);

/* Makes this process the parent of orphaned descendants, if the system can do that. */
void cprocess_adopt_orphans(void);
/* Kills all children of this process, including adopted orphans, and waits for them for at most half a second. Spares
 * the children that it had before cprocess_adopt_orphans. Returns how many of the killed processes were still
 * running. */
int cprocess_end_orphans(void);

/* Makes the file OUTPUT share the blocks of the file INPUT. False if the file system can't do that. */
bool cprocess_share_blocks(int input, int output);

/* From now on this process, and all that it starts, can create, change and remove files only below FOLDER, and write to
 * devices. Returns 0, or an errno: ENOSYS or EOPNOTSUPP if the system can't do that. */
int cprocess_confine_writes(const char *folder);

/* Runs the program at the path WORDS[0] in this process. Returns only if that fails, with an errno. */
int cprocess_replace(char *_Nullable const *_Nonnull words);

/* Makes writing to a pipe without a reader fail with EPIPE, for this process only: a program that this process starts
 * gets the disposition that this process was given. */
void cprocess_survive_closed_pipes(void);

/* Takes the numbers of standard streams that were closed, so that no file gets them. Reading from or writing to such a
 * stream still fails with EBADF, and a launched program still finds it closed. */
void cprocess_keep_closed_streams(void);

/* Reads the machine's counter and CLOCK_BOOTTIME, in nanoseconds, at the same instant. */
void cprocess_clock_pair(uint64_t *ticks, uint64_t *nanoseconds);

#pragma clang assume_nonnull end

#endif
