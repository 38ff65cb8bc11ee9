/* The screen of a terminal: interprets the bytes that a program writes to an xterm, and looks for a text in the rows.
 * <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html> */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cprocess_terminal.h"

struct screen_cell {
  uint32_t character; /* 0: the right half of a wide character */
  uint32_t epoch;     /* the value of SCREEN.epoch when the character was drawn */
};

struct screen {
  int columns, rows;
  int column, row; /* the place of the cursor. COLUMN is COLUMNS if the next character goes to the next row */
  int top, bottom; /* the rows that scroll: TOP to BOTTOM - 1 */
  int saved_column, saved_row;
  uint32_t epoch;
  bool has_application_keys;

  enum screen_state {
    SCREEN_TEXT,
    SCREEN_ESCAPE,       /* after ESC */
    SCREEN_INTERMEDIATE, /* after ESC and a byte that one more byte follows */
    SCREEN_SEQUENCE,     /* after ESC [ */
    SCREEN_STRING,       /* text for the terminal itself, such as a title */
  } state;
  uint8_t prefix, intermediate;
  int numbers[16];
  int last_number; /* the index of the number that is being read */
  uint32_t code;   /* the character that is being decoded from UTF-8 */
  int missing;     /* the number of bytes of CODE that are missing */
  uint32_t last;   /* the last drawn character; 0: none */
  bool draws_lines[2]; /* whether G0 and G1 are the set of line-drawing characters */
  int set;             /* the used set: 0 for G0, 1 for G1 */

  uint32_t text[CPROCESS_MOST_TEXT];
  size_t length; /* the length of the awaited text; 0: no text is awaited */
  bool is_found;

  char answer[64]; /* an answer to the program's question, which is not typed yet */
  size_t answer_length;

  bool is_changed[CPROCESS_MOST_ROWS]; /* rows that have changed since the text was looked for */
  uint8_t places[CPROCESS_MOST_ROWS];  /* the index in CELLS of each row, so that rows scroll without being copied */
  struct screen_cell cells[CPROCESS_MOST_ROWS][CPROCESS_MOST_COLUMNS];
};

/* Clears a screen of this size. */
void screen_begin(struct screen *screen, int columns, int rows);
/* Draws bytes until the awaited text is in a row that the cursor leaves. Returns the number of drawn bytes. */
size_t screen_write(struct screen *screen, const uint8_t *bytes, size_t count);
/* Looks for the text in all rows that have changed. */
void screen_look(struct screen *screen);
/* Awaits a text, which may already be on the screen. Awaits nothing if the text is empty. */
void screen_await(struct screen *screen, const char *text);
void screen_resize(struct screen *screen, int columns, int rows);
/* cprocess_terminal_row. */
bool screen_row(const struct screen *screen, int row, char *text);

#endif
