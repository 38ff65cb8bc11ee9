/* What of a measured launch differs between systems: measure_linux.c, measure_darwin.c. */
#ifndef MEASURE_H
#define MEASURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the program's standard streams come from and go to: descriptors above 2, or 2. */
struct measure_streams {
  int input, output;
};

/* Starts the program in a process group of its own, with the signal mask MASK, and stores the
 * instant just before exec. */
int measure_start(const char *path, char *const *arguments, struct measure_streams streams,
                  const sigset_t *mask, pid_t *pid, uint64_t *start);

/* The clock of measure_start. */
uint64_t measure_now(void);

/* What a process that has ended and was not waited for yet had the devices read; false if the
 * kernel does not tell. */
bool measure_read_bytes(pid_t pid, uint64_t *bytes);

/* ru_maxrss of getrusage(2) in bytes. */
uint64_t measure_peak_bytes(long maxrss);

/* Before the first launch: makes this process the parent of what its descendants leave behind, if
 * it can. */
void measure_adopt_orphans(void);
/* Kills and waits for what was adopted: for half a second at most. */
void measure_end_orphans(void);

#endif
