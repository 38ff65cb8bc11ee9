/* A terminal for a launched program: a pseudo-terminal, and the screen that the program draws on it. */
#ifndef CPROCESS_TERMINAL_H
#define CPROCESS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

enum {
  CPROCESS_MOST_COLUMNS = 500,
  CPROCESS_MOST_ROWS = 200,
  /* The most bytes of a text that is awaited, and of a text that is typed at once. */
  CPROCESS_MOST_TEXT = 255,
  CPROCESS_MOST_TYPED = 4096,
};

struct cprocess_terminal;

/* Opens a pseudo-terminal with a window of COLUMNS and ROWS, which are from 1 to the constants above. The output of the
 * program also goes to the descriptor FORWARD, unchanged; -1: nowhere. Returns NULL with an errno in *ERROR. */
struct cprocess_terminal *_Nullable cprocess_terminal_open(int columns, int rows, int forward, int *error);
/* Closes both ends. The kernel then sends SIGHUP to the leader of the session and to the session's foreground group. */
void cprocess_terminal_close(struct cprocess_terminal *terminal);

/* Returns the program's end, which becomes the program's standard streams and its controlling terminal; -1 after
 * cprocess_terminal_has_started. */
int cprocess_terminal_program_end(const struct cprocess_terminal *terminal);
/* Closes the program's end in this process, after the program has started. */
void cprocess_terminal_has_started(struct cprocess_terminal *terminal);

/* Waits until process PID has ended, the program has written, or MILLISECONDS have passed. */
void cprocess_terminal_wait(const struct cprocess_terminal *terminal, pid_t pid, int64_t milliseconds);

/* Draws the output of the program until the awaited text comes, and answers the program's questions to its terminal.
 * Draws about a mebibyte at most; the next call draws the rest. Returns whether the program has written anything since
 * the last call. */
bool cprocess_terminal_read(struct cprocess_terminal *terminal);
/* Returns whether no process has the program's end open any more. */
bool cprocess_terminal_is_closed(const struct cprocess_terminal *terminal);

/* Awaits TEXT, UTF-8 of at most CPROCESS_MOST_TEXT bytes, in a row of the screen. At least one character of TEXT has to
 * be drawn after the last call of cprocess_terminal_type. Awaits nothing if TEXT is empty. */
void cprocess_terminal_await(struct cprocess_terminal *terminal, const char *text);
bool cprocess_terminal_has_found(const struct cprocess_terminal *terminal);

/* Types COUNT bytes, at most CPROCESS_MOST_TYPED. */
void cprocess_terminal_type(struct cprocess_terminal *terminal, const uint8_t *bytes, size_t count);
/* Passes the typed bytes on, and returns whether the program's end has taken all of them. */
bool cprocess_terminal_flush(struct cprocess_terminal *terminal);
/* Returns whether the program has asked for the codes ESC O A of arrow keys, instead of ESC [ A. */
bool cprocess_terminal_has_application_keys(const struct cprocess_terminal *terminal);

/* Changes the size of the window; the program gets SIGWINCH. */
void cprocess_terminal_resize(struct cprocess_terminal *terminal, int columns, int rows);

/* Stores row ROW of the screen, from 0, as UTF-8 with a zero byte, without the blanks at its end. Returns false if the
 * screen has no such row. TEXT has 4 * CPROCESS_MOST_COLUMNS + 1 bytes. */
bool cprocess_terminal_row(const struct cprocess_terminal *terminal, int row, char *text);

#pragma clang assume_nonnull end

#endif
