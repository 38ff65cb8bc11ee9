/* Launching one program and waiting for it, with the instants that a trace needs. Thin: no state but
 * the number of the child that signals are passed on to. */
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
                           * reading one fails, instead of stopping the group. The group gets SIGTERM for SIGINT,
                           * because a shell that gets SIGINT between two commands goes on with the next */
};

/* The descriptors that a program gets as its standard input, output and errors, above 2; -1 for those of this
 * process. */
struct cprocess_streams {
  int descriptors[3];
};

/* VARIABLES, entries "NAME=value" that end with NULL, and behind them this process's environment without what they
 * replace: to be freed, or NULL if there is no memory. */
char *_Nullable *_Nullable cprocess_environment(char *_Nullable const *_Nonnull variables);

/* Starts ARGUMENTS[0], looked up in PATH.
 *
 * ARGUMENTS ends with NULL; so does VARIABLES, whose entries "NAME=value" replace those in this process's
 * environment. All belong to the caller. In a GROUP of its own the program gets the terminal if this process
 * has it and shares it as standard input. *START is set to the time just before, in nanoseconds since
 * boot (CLOCK_BOOTTIME).
 *
 * From here until cprocess_wait returns the end, SIGINT and SIGQUIT don't end this process (the
 * terminal sends them to the program too), and SIGTERM and SIGHUP are passed on to the program; all four to
 * a group of its own.
 *
 * With a TRACER, the number of a process, the program waits before its first instruction, and may be traced
 * by that process, until cprocess_let_go.
 *
 * Returns 0, or an errno: that of execvp(3) and of ptrace(2), too. One program at a time. */
int cprocess_start(char *_Nullable const *_Nonnull arguments,
                  char *_Nullable const *_Nonnull variables, const struct cprocess_streams *streams,
                  enum cprocess_group group, pid_t tracer, pid_t *pid, uint64_t *start);

/* Lets the waiting program begin, or ends it if it may not. Returns 0, or the errno of execvp(3): the
 * process is gone then. */
int cprocess_let_go(bool may_begin);

/* Makes SIGINT, SIGTERM and SIGHUP end waits instead of this process; cprocess_was_interrupted says whether one
 * has come, also while a program runs, to which they are passed on. Ignored signals stay ignored. */
void cprocess_catch_interrupts(void);
bool cprocess_was_interrupted(void);

/* When process PID started, field 22 of /proc/PID/stat; 0 if it is gone. */
uint64_t cprocess_start_time(pid_t pid);

/* Waits for the program. TIMEOUT is in milliseconds, negative for ever.
 *
 * Returns 1 and *STATUS as wait(2) has it, 0 if the time ran out, or -errno. */
int cprocess_wait(pid_t pid, int64_t timeout, int *status);

/* Waits until the child PID has ended, and leaves its status to waitpid. Returns 1, 0 if MILLISECONDS have
 * passed, or -errno. */
int cprocess_wait_for_end(pid_t pid, int64_t milliseconds);

/* Sends SIGNAL to the process group that PID leads; false if nobody is in it. */
bool cprocess_signal_group(pid_t pid, int signal);

/* Whether the process numbered PID that started at START_TIME, field 22 of /proc/PID/stat, is still
 * there. One that has ended and waits for its parent is not. */
bool cprocess_is_running(pid_t pid, uint64_t start_time);

/* Makes this process the parent of orphaned descendants, if the system can do that. */
void cprocess_adopt_orphans(void);
/* Kills all children and the orphans that were adopted, and waits for them, for at most half a second. Returns how many
 * of them were still running. */
int cprocess_end_orphans(void);

/* Makes the file OUTPUT share the blocks of the file INPUT. False if the file system can't do that. */
bool cprocess_share_blocks(int input, int output);

/* From now on this process, and all that it starts, can create, change and remove files only below FOLDER, and write to
 * devices. Returns 0, or an errno: ENOSYS or EOPNOTSUPP if the system can't do that. */
int cprocess_confine_writes(const char *folder);

/* Runs the program at the path WORDS[0] in this process. Returns only if that fails, with an errno. */
int cprocess_replace(char *_Nullable const *_Nonnull words);

/* Makes writing to a pipe without a reader fail with EPIPE, for this process only: a program that it
 * starts gets the disposition that this process was given. */
void cprocess_survive_closed_pipes(void);

/* Takes the numbers of standard streams that were closed, so that no file gets them: whoever reads or
 * writes one still gets EBADF, and a launched program still finds it closed. */
void cprocess_keep_closed_streams(void);

/* The machine's counter and CLOCK_BOOTTIME in nanoseconds, at the same instant. */
void cprocess_clock_pair(uint64_t *ticks, uint64_t *nanoseconds);

#pragma clang assume_nonnull end

#endif
