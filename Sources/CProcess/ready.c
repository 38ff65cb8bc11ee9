#define _GNU_SOURCE
#include "cprocess_ready.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "platform.h"

bool cprocess_port_listens(pid_t pid, uint16_t port) { return platform_port_listens(pid, port); }

int cprocess_tap_open(struct cprocess_tap *tap, const char *text, int forward, int *write_end) {
  *tap = (struct cprocess_tap){.read_end = -1, .forward = forward, .length = strlen(text)};
  if (tap->length == 0 || tap->length >= sizeof tap->text) return ENAMETOOLONG;
  memcpy(tap->text, text, tap->length);
  /* Of each beginning of the text, the longest part at its end that is a beginning, too. (Knuth, Morris, Pratt) */
  for (size_t i = 1, same = 0; i < tap->length; i++) {
    while (same && text[i] != text[same]) same = tap->shorter[same - 1];
    if (text[i] == text[same]) same++;
    tap->shorter[i] = (uint16_t)same;
  }
  int ends[2];
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
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

bool cprocess_tap_read(struct cprocess_tap *tap) {
  char bytes[65536];
  ssize_t count;
  while (tap->read_end >= 0 && (count = read(tap->read_end, bytes, sizeof bytes)) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    search(tap, bytes, (size_t)count);
    /* As without a pipe between them, a reader that is gone or slow is the program's concern; but it goes on. */
    for (ssize_t done = 0, written; tap->forward >= 0 && done < count; done += written)
      if ((written = write(tap->forward, bytes + done, (size_t)(count - done))) < 0) {
        if (errno != EINTR) break;
        written = 0;
      }
  }
  return tap->is_found;
}

void cprocess_tap_close(struct cprocess_tap *tap) {
  if (tap->read_end >= 0) close(tap->read_end);
  tap->read_end = -1;
}

int cprocess_taps_open(struct cprocess_taps *taps, const char *text) {
  taps->output.read_end = taps->errors.read_end = -1;
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    struct cprocess_tap *tap = stream == STDOUT_FILENO ? &taps->output : &taps->errors;
    int kept = fcntl(stream, F_DUPFD_CLOEXEC, 3), end;
    taps->kept[stream - 1] = kept;
    int error = cprocess_tap_open(tap, text, stream, &end);
    if (error) {
      cprocess_taps_started(taps);
      cprocess_taps_close(taps);
      return error;
    }
    dup2(end, stream);
    close(end);
  }
  return 0;
}

void cprocess_taps_started(struct cprocess_taps *taps) {
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    int kept = taps->kept[stream - 1];
    if (kept < 0) continue;
    dup2(kept, stream);
    close(kept);
    taps->kept[stream - 1] = -1;
  }
}

bool cprocess_taps_read(struct cprocess_taps *taps) {
  bool in_output = cprocess_tap_read(&taps->output), in_errors = cprocess_tap_read(&taps->errors);
  return in_output || in_errors;
}

void cprocess_taps_close(struct cprocess_taps *taps) {
  cprocess_tap_close(&taps->output);
  cprocess_tap_close(&taps->errors);
}
