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

/* Opens a pseudo-terminal with a window of COLUMNS and ROWS, which are from 1 to the constants above. What the program
 * writes also goes to the descriptor FORWARD, unchanged; -1: nowhere. Returns NULL with an errno in *ERROR. */
struct cprocess_terminal *_Nullable cprocess_terminal_open(int columns, int rows, int forward, int *error);
/* Closes both ends. The kernel then sends SIGHUP to the leader of the session and to its group in the foreground. */
void cprocess_terminal_close(struct cprocess_terminal *terminal);

/* The program's end, which becomes its standard streams and its controlling terminal; -1 after the next call. */
int cprocess_terminal_program_end(const struct cprocess_terminal *terminal);
/* Forgets the program's end, after the program has started. CLOSES: whether to close it. */
void cprocess_terminal_has_started(struct cprocess_terminal *terminal, bool closes);

/* Waits until process PID has ended, the program has written, or MILLISECONDS have passed. */
void cprocess_terminal_wait(const struct cprocess_terminal *terminal, pid_t pid, int64_t milliseconds);

/* Draws what the program has written, until the awaited text comes, and answers the program's questions to its terminal.
 * Stops after a mebibyte; the next call goes on. Returns whether the program has written anything since the last call. */
bool cprocess_terminal_read(struct cprocess_terminal *terminal);
/* Whether no process has the program's end open any more. */
bool cprocess_terminal_is_closed(const struct cprocess_terminal *terminal);

/* Awaits TEXT, UTF-8 of at most CPROCESS_MOST_TEXT bytes, in a row of the screen. At least one of its characters has to be
 * drawn after the last call of cprocess_terminal_type. Awaits nothing if TEXT is empty. */
void cprocess_terminal_await(struct cprocess_terminal *terminal, const char *text);
bool cprocess_terminal_has_found(const struct cprocess_terminal *terminal);

/* Types COUNT bytes, at most CPROCESS_MOST_TYPED. */
void cprocess_terminal_type(struct cprocess_terminal *terminal, const uint8_t *bytes, size_t count);
/* Passes on what was typed; returns whether the program's end has taken all of it. */
bool cprocess_terminal_flush(struct cprocess_terminal *terminal);
/* Whether the program has asked for the other codes of arrow keys: ESC O A, not ESC [ A. */
bool cprocess_terminal_has_application_keys(const struct cprocess_terminal *terminal);

/* Changes the window; the program gets SIGWINCH. */
void cprocess_terminal_resize(struct cprocess_terminal *terminal, int columns, int rows);

/* Stores row ROW of the screen, from 0, as UTF-8 with a zero byte, without the blanks at its end. Returns false if there is no
 * such row. TEXT has 4 * CPROCESS_MOST_COLUMNS + 1 bytes. */
bool cprocess_terminal_row(const struct cprocess_terminal *terminal, int row, char *text);

#pragma clang assume_nonnull end

#endif
