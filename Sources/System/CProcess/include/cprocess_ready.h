/* Signs by which a running program is known to be ready: a port that listens, a text in its output. */
#ifndef CPROCESS_READY_H
#define CPROCESS_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cprocess.h"

#pragma clang assume_nonnull begin

/* Whether a process listens on TCP port PORT, in the network of process PID, or of this process if PID is 0. Makes no
 * connection. False if the system does not show listeners. */
bool cprocess_port_listens(pid_t pid, uint16_t port);

/* Returns whether all threads of the launch of process PID sleep (cprocess_each_of_launch). Stores in *SWITCHES a number that
 * changes whenever a thread of the launch has run. Returns true, and stores 0, if the system does not list its processes. */
bool cprocess_launch_sleeps(pid_t pid, pid_t tracer, uint64_t *switches);

/* A pipe that is an output of a program. The output is searched for a text, and passed on. */
struct cprocess_tap {
  int read_end; /* -1: closed */
  int forward;  /* the descriptor to which the output goes; -1: it is discarded */
  char text[256];
  uint16_t shorter[256];
  size_t length, matched;
  bool is_found;
};

/* Makes the pipe, and stores the end that the program gets. Returns 0 or an errno: ENAMETOOLONG if TEXT is
 * empty, or longer than 255 bytes. */
int cprocess_tap_open(struct cprocess_tap *tap, const char *text, int forward, int *write_end);
/* Passes on the output that has come, as long as the reader of the forward descriptor takes it without a wait. Stops
 * when the text has come, and after a mebibyte; the next call goes on. Returns whether the text has come, now or
 * before. */
bool cprocess_tap_read(struct cprocess_tap *tap);
/* Passes on the rest, and waits for the reader of the forward descriptor. */
void cprocess_tap_close(struct cprocess_tap *tap);

/* Taps on standard output and standard error. */
struct cprocess_taps {
  struct cprocess_tap output, errors;
};

/* Replaces standard output and error in STREAMS by pipes. What comes through the pipes is passed on to the former
 * streams. The caller closes the two new descriptors when the program has started. Returns 0 or an errno, as
 * cprocess_tap_open does; after an error *STREAMS is unchanged. */
int cprocess_taps_open(struct cprocess_taps *taps, const char *text, struct cprocess_streams *streams);
bool cprocess_taps_read(struct cprocess_taps *taps);
void cprocess_taps_close(struct cprocess_taps *taps);

#pragma clang assume_nonnull end

#endif
