/* System-specific functions; each system has a file platform_<system>.c. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds since boot, and the machine's counter: the clocks of the recorder's platform_<system>.c. */
uint64_t platform_now(void);
uint64_t platform_ticks(void);

/* The state of process PID, and its start time in the unit of a trace's start_time. */
enum platform_process { PLATFORM_GONE, PLATFORM_ENDED, PLATFORM_RUNNING };
enum platform_process platform_process(pid_t pid, uint64_t *start_time);

/* cprocess_wait_for_end. */
int platform_wait_for_end(pid_t pid, int64_t milliseconds);
/* cprocess_terminal_wait for the descriptor INPUT; -1: waits for the end only. Returns early after a signal. */
void platform_wait_for_end_or_input(pid_t pid, int input, int64_t milliseconds);

/* Makes a pipe that programs don't get; returns 0 or an errno. */
int platform_pipe(int ends[2]);

/* cprocess_port_listens. */
bool platform_port_listens(pid_t pid, uint16_t port);

/* Lets a child that leads its own process group take the terminal on its standard input, if the system
 * supports that in posix_spawn. */
void platform_give_terminal(posix_spawn_file_actions_t *actions);

/* Lets the leader of a session open the terminal of DESCRIPTOR first, so that this terminal becomes the controlling
 * terminal. Does nothing if the system has platform_start_held. */
void platform_open_terminal(posix_spawn_file_actions_t *actions, int descriptor);

/* A program that has not begun yet: it waits for a byte at GO, and writes to FAILED the reason if it could
 * not begin. */
struct platform_held {
  pid_t pid;
  int go, failed;
};

/* What a program leads: a process group, a session, or a session whose terminal is the program's standard input. */
enum platform_leader { PLATFORM_NOTHING, PLATFORM_GROUP, PLATFORM_SESSION, PLATFORM_TERMINAL };

/* Whether the system has platform_start_held. */
#if defined(__linux__)
enum { platform_can_hold = 1 };
#else
enum { platform_can_hold = 0 };
#endif
/* Starts a program as posix_spawnp does, without attributes, but with FOLDER and STREAMS as in cprocess_start. The
 * program waits before it begins, and TRACER may trace it; 0 for no tracer. The program ignores SIGCHLD if this process
 * was started with SIGCHLD ignored. ENOTSUP if the system has no suitable ptrace. */
int platform_start_held(char *const *arguments, char **environment, const char *folder, const int streams[3],
                        enum platform_leader leader, bool takes_terminal, const sigset_t *defaults, const sigset_t *mask,
                        pid_t tracer, struct platform_held *held);
/* Lets the program begin if MAY_BEGIN is true, and ends it if not. Returns 0, or the errno of exec if the program could
 * not begin; its process is then gone. */
int platform_let_go(const struct platform_held *held, bool may_begin);

/* cprocess_adopt_orphans and cprocess_end_orphans. */
void platform_adopt_orphans(void);
int platform_end_orphans(void);
/* Whether PID is an orphan that this process has adopted: PID was not its child before it began to adopt orphans. */
bool platform_has_adopted(pid_t pid);

/* cprocess_share_blocks, cprocess_confine_writes, cprocess_read_attribute. */
bool platform_share_blocks(int input, int output);
/* Creates memory as cprocess_create_memory does. Returns a descriptor, or -errno. */
int platform_create_memory(const char *name, uint64_t size);
int platform_confine_writes(const char *folder);
long platform_read_attribute(const char *path, const char *name, void *bytes, size_t size);

#endif
