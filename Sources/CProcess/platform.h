/* What differs between systems: one file for each, platform_<system>.c. */
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

/* What has become of process PID, and when it started: in the unit that a trace's start_time has. */
enum platform_process { PLATFORM_GONE, PLATFORM_ENDED, PLATFORM_RUNNING };
enum platform_process platform_process(pid_t pid, uint64_t *start_time);

/* cprocess_wait_for_end. */
int platform_wait_for_end(pid_t pid, int64_t milliseconds);

/* Lets a child that leads its own process group take the terminal on its standard input, where the system
 * can do that in posix_spawn. */
void platform_give_terminal(posix_spawn_file_actions_t *actions);

/* A program that has yet to begin: it waits for a byte at GO, and writes to FAILED why it could not. */
struct platform_held {
  pid_t pid;
  int go, failed;
};

/* As posix_spawnp, but for the attributes; the program waits before it begins, and may be traced by TRACER.
 * ENOTSUP where there is no ptrace that can. */
int platform_start_held(char *const *arguments, char **environment, bool own_group,
                        bool takes_terminal, const sigset_t *defaults, const sigset_t *mask,
                        pid_t tracer, struct platform_held *held);
/* Lets it begin, or end before it has. Returns 0 or the errno of exec; the process is gone then. */
int platform_let_go(const struct platform_held *held, bool may_begin);

#endif
