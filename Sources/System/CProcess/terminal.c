#define _GNU_SOURCE
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE
#endif
#include "cprocess_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "platform.h"
#include "screen.h"

struct cprocess_terminal {
  int own, program, forward;
  bool is_closed;
  uint8_t output[1 << 16]; /* output of the program; the bytes BEGIN to END - 1 are not drawn yet */
  size_t begin, end;
  uint8_t typed[CPROCESS_MOST_TYPED + 64]; /* the typed bytes that are not passed on yet */
  size_t typed_count;
  struct screen screen;
};

static void set_size(const struct cprocess_terminal *terminal, int columns, int rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  ioctl(terminal->own, TIOCSWINSZ, &size);
}

struct cprocess_terminal *cprocess_terminal_open(int columns, int rows, int forward, int *error) {
  struct cprocess_terminal *terminal = malloc(sizeof *terminal);
  if (!terminal) {
    *error = ENOMEM;
    return NULL;
  }
  terminal->own = posix_openpt(O_RDWR | O_NOCTTY);
  terminal->program = -1;
  if (terminal->own >= 0 && grantpt(terminal->own) == 0 && unlockpt(terminal->own) == 0) {
    fcntl(terminal->own, F_SETFD, FD_CLOEXEC);
    const char *path = ptsname(terminal->own);
    if (path) terminal->program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  if (terminal->program < 0) {
    *error = errno ? errno : ENOTTY;
    if (terminal->own >= 0) close(terminal->own);
    free(terminal);
    return NULL;
  }
  fcntl(terminal->own, F_SETFL, O_RDWR | O_NONBLOCK);
  terminal->forward = forward;
  terminal->is_closed = false;
  terminal->begin = terminal->end = terminal->typed_count = 0;
  screen_begin(&terminal->screen, columns, rows);
  set_size(terminal, columns, rows);
  return terminal;
}

void cprocess_terminal_close(struct cprocess_terminal *terminal) {
  close(terminal->own);
  if (terminal->program >= 0) close(terminal->program);
  free(terminal);
}

int cprocess_terminal_program_end(const struct cprocess_terminal *terminal) { return terminal->program; }

void cprocess_terminal_has_started(struct cprocess_terminal *terminal) {
  if (terminal->program >= 0) close(terminal->program);
  terminal->program = -1;
}

void cprocess_terminal_wait(const struct cprocess_terminal *terminal, pid_t pid, int64_t milliseconds) {
  platform_wait_for_end_or_input(pid, terminal->is_closed ? -1 : terminal->own, milliseconds);
}

/* Writes output of the program to the descriptor FORWARD. If that fails, the program goes on. */
static void forward(const struct cprocess_terminal *terminal, const uint8_t *bytes, size_t count) {
  for (size_t done = 0; terminal->forward >= 0 && done < count;) {
    ssize_t written = write(terminal->forward, bytes + done, count - done);
    if (written > 0) done += (size_t)written;
    else if (written == 0 || errno != EINTR) break;
  }
}

/* Reads output into the empty buffer. Returns false if there is no output. */
static bool fill(struct cprocess_terminal *terminal) {
  ssize_t count;
  while ((count = read(terminal->own, terminal->output, sizeof terminal->output)) < 0 && errno == EINTR) {
  }
  if (count <= 0) { /* Linux reports EIO, and Darwin the end of the file */
    if (terminal->program < 0 && (count == 0 || errno == EIO)) terminal->is_closed = true;
    return false;
  }
  terminal->is_closed = false;
  terminal->begin = 0;
  terminal->end = (size_t)count;
  forward(terminal, terminal->output, terminal->end);
  return true;
}

static void answer(struct cprocess_terminal *terminal) {
  struct screen *screen = &terminal->screen;
  if (terminal->typed_count + screen->answer_length <= sizeof terminal->typed) {
    memcpy(terminal->typed + terminal->typed_count, screen->answer, screen->answer_length);
    terminal->typed_count += screen->answer_length;
  }
  screen->answer_length = 0;
}

bool cprocess_terminal_read(struct cprocess_terminal *terminal) {
  enum { LIMIT = 1 << 20 }; /* the loop is limited, because the caller also watches times */
  size_t total = 0;
  bool has_written = false;
  while (total < LIMIT && !terminal->screen.is_found) {
    if (terminal->begin == terminal->end) {
      if (!fill(terminal)) break;
      has_written = true;
      total += terminal->end;
    }
    terminal->begin += screen_write(
        &terminal->screen, terminal->output + terminal->begin, terminal->end - terminal->begin);
  }
  screen_look(&terminal->screen);
  answer(terminal);
  cprocess_terminal_flush(terminal);
  return has_written;
}

bool cprocess_terminal_is_closed(const struct cprocess_terminal *terminal) {
  return terminal->is_closed && terminal->begin == terminal->end;
}

void cprocess_terminal_await(struct cprocess_terminal *terminal, const char *text) {
  screen_await(&terminal->screen, text);
}

bool cprocess_terminal_has_found(const struct cprocess_terminal *terminal) { return terminal->screen.is_found; }

void cprocess_terminal_type(struct cprocess_terminal *terminal, const uint8_t *bytes, size_t count) {
  struct screen *screen = &terminal->screen;
  /* Output from before the typing is drawn in the old epoch, so that the next text is not found in this output. */
  screen->length = 0;
  screen->is_found = false;
  terminal->begin += screen_write(screen, terminal->output + terminal->begin, terminal->end - terminal->begin);
  screen->epoch++;
  if (count > sizeof terminal->typed - terminal->typed_count) count = sizeof terminal->typed - terminal->typed_count;
  memcpy(terminal->typed + terminal->typed_count, bytes, count);
  terminal->typed_count += count;
}

bool cprocess_terminal_flush(struct cprocess_terminal *terminal) {
  while (terminal->typed_count) {
    ssize_t written = write(terminal->own, terminal->typed, terminal->typed_count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    terminal->typed_count -= (size_t)written;
    memmove(terminal->typed, terminal->typed + written, terminal->typed_count);
  }
  return !terminal->typed_count;
}

bool cprocess_terminal_has_application_keys(const struct cprocess_terminal *terminal) {
  return terminal->screen.has_application_keys;
}

void cprocess_terminal_resize(struct cprocess_terminal *terminal, int columns, int rows) {
  screen_resize(&terminal->screen, columns, rows);
  set_size(terminal, columns, rows);
}

bool cprocess_terminal_row(const struct cprocess_terminal *terminal, int row, char *text) {
  return screen_row(&terminal->screen, row, text);
}
