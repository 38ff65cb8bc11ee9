/* The system-specific parts of a measured launch: measure_linux.c, measure_darwin.c. */
#ifndef MEASURE_H
#define MEASURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The program's standard streams: descriptors above 2, or 2. IS_TERMINAL: whether the input becomes the program's
 * controlling terminal. */
struct measure_streams {
  int input, output;
  bool is_terminal;
};

/* Starts the program with ENVIRONMENT, the working directory FOLDER (NULL: as this process) and the signal mask MASK,
 * and stores the time just before exec. A program with a terminal leads a session, any other program leads a process
 * group. */
int measure_start(const char *path, char *const *arguments, char *const *environment, const char *folder,
                  struct measure_streams streams, const sigset_t *mask, pid_t *pid, uint64_t *start);

/* Returns the time now, by the clock of measure_start. */
uint64_t measure_now(void);

/* Stores the bytes that a process has read from devices. A process that has ended must not have been waited for.
 * Returns false if the kernel does not state the bytes. */
bool measure_read_bytes(pid_t pid, uint64_t *bytes);

/* Stores the figures of the running launch of process PID: of all its processes (cprocess_each_of_launch) and of the
 * children that they have waited for. Returns false if the kernel does not state them. The kernel divides processor
 * time between user and system in clock ticks of 10 ms, and states the whole processor time of children in these ticks,
 * too. */
struct measure_figures {
  uint64_t user_microseconds, system_microseconds;
  uint64_t minor_faults, major_faults;
  uint64_t read_bytes;
  bool has_read_bytes;
};
bool measure_running(pid_t pid, struct measure_figures *figures);

/* Returns MAXRSS, the ru_maxrss of getrusage(2), in bytes. */
uint64_t measure_peak_bytes(long maxrss);

/* Opens a counter of the instructions that the next child, its threads and its descendants execute in user mode from
 * exec on. Returns a descriptor, or -1 if the machine has no such counter or does not permit it. */
int measure_count_instructions(void);
/* Stores the count of all processes, including running ones, and closes COUNTER. Returns false if COUNTER is -1, or if
 * others used the machine's counters meanwhile. */
bool measure_counted_instructions(int counter, uint64_t *count);

#endif
