#define _GNU_SOURCE
#include "cprocess_ready.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "platform.h"

bool cprocess_port_listens(pid_t pid, uint16_t port) { return platform_port_listens(pid, port); }

int cprocess_tap_open(struct cprocess_tap *tap, const char *text, int forward, int *write_end) {
  *tap = (struct cprocess_tap){.read_end = -1, .forward = forward, .length = strlen(text)};
  if (tap->length == 0 || tap->length >= sizeof tap->text) return ENAMETOOLONG;
  memcpy(tap->text, text, tap->length);
  /* Stores for each beginning of the text the length of its longest end that is also a beginning. (Knuth, Morris,
   * Pratt) */
  for (size_t i = 1, same = 0; i < tap->length; i++) {
    while (same && text[i] != text[same]) same = tap->shorter[same - 1];
    if (text[i] == text[same]) same++;
    tap->shorter[i] = (uint16_t)same;
  }
  int ends[2];
  int error = platform_pipe(ends);
  if (error) return error;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  tap->read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

static void search(struct cprocess_tap *tap, const char *bytes, size_t count) {
  for (size_t i = 0; i < count && !tap->is_found; i++) {
    while (tap->matched && bytes[i] != tap->text[tap->matched])
      tap->matched = tap->shorter[tap->matched - 1];
    if (bytes[i] == tap->text[tap->matched]) tap->matched++;
    tap->is_found = tap->matched == tap->length;
  }
}

enum {
  LOOK_LIMIT = 1 << 20, /* bytes read in one call: the caller also watches signs and times */
};

/* Whether the next PIPE_BUF bytes can be passed on without waiting for a reader. */
static bool can_forward(const struct cprocess_tap *tap) {
  struct pollfd poller = {.fd = tap->forward, .events = POLLOUT};
  return tap->forward < 0 || poll(&poller, 1, 0) != 0;
}

/* The reader of the output is gone. Without this pipe, the program would notice that; with it, the output is dropped,
 * and the program continues. */
static void forward(const struct cprocess_tap *tap, const char *bytes, ssize_t count) {
  for (ssize_t done = 0, written; tap->forward >= 0 && done < count; done += written)
    if ((written = write(tap->forward, bytes + done, (size_t)(count - done))) < 0) {
      if (errno != EINTR) break;
      written = 0;
    }
}

/* Reads and passes on up to PIPE_BUF bytes; false if there are none. */
static bool pass_on(struct cprocess_tap *tap) {
  char bytes[PIPE_BUF];
  ssize_t count;
  while ((count = read(tap->read_end, bytes, sizeof bytes)) < 0 && errno == EINTR) {
  }
  if (count <= 0) return false;
  search(tap, bytes, (size_t)count);
  forward(tap, bytes, count);
  return true;
}

bool cprocess_tap_read(struct cprocess_tap *tap) {
  bool was_found = tap->is_found;
  for (int bytes = 0; tap->read_end >= 0 && bytes < LOOK_LIMIT; bytes += PIPE_BUF)
    if (!can_forward(tap) || !pass_on(tap) || tap->is_found != was_found) break;
  return tap->is_found;
}

void cprocess_tap_close(struct cprocess_tap *tap) {
  if (tap->read_end < 0) return;
  /* Passes on what the program has left, up to a limit, because others may still write. */
  for (int bytes = 0; bytes < LOOK_LIMIT && pass_on(tap); bytes += PIPE_BUF) {
  }
  close(tap->read_end);
  tap->read_end = -1;
}

int cprocess_taps_open(struct cprocess_taps *taps, const char *text, struct cprocess_streams *streams) {
  taps->output.read_end = taps->errors.read_end = -1;
  struct cprocess_streams piped = *streams;
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    struct cprocess_tap *tap = stream == STDOUT_FILENO ? &taps->output : &taps->errors;
    int own = streams->descriptors[stream];
    int error = cprocess_tap_open(tap, text, own < 0 ? stream : own, &piped.descriptors[stream]);
    if (error) {
      if (stream == STDERR_FILENO) close(piped.descriptors[STDOUT_FILENO]);
      cprocess_taps_close(taps);
      return error;
    }
  }
  *streams = piped;
  return 0;
}

bool cprocess_taps_read(struct cprocess_taps *taps) {
  bool in_output = cprocess_tap_read(&taps->output), in_errors = cprocess_tap_read(&taps->errors);
  return in_output || in_errors;
}

void cprocess_taps_close(struct cprocess_taps *taps) {
  cprocess_tap_close(&taps->output);
  cprocess_tap_close(&taps->errors);
}
