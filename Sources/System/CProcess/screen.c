#include "screen.h"

#include <stdio.h>
#include <string.h>

#include "character.h"

static struct screen_cell *cells_of(struct screen *screen, int row) { return screen->cells[screen->places[row]]; }

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

/* Looks for the awaited text in a row, and accepts the text if one of its cells was drawn in the present epoch. */
static void look_at_row(struct screen *screen, int row) {
  if (!screen->is_changed[row] || !screen->length || screen->is_found) return;
  screen->is_changed[row] = false;
  const struct screen_cell *cells = cells_of(screen, row);
  for (int start = 0; start < screen->columns; start++) {
    size_t matched = 0;
    bool is_new = false;
    for (int column = start; column < screen->columns && matched < screen->length; column++) {
      if (!cells[column].character && column > start) continue;
      if (cells[column].character != screen->text[matched]) break;
      is_new |= cells[column].epoch == screen->epoch;
      matched++;
    }
    if (matched == screen->length && is_new) {
      screen->is_found = true;
      return;
    }
  }
}

void screen_look(struct screen *screen) {
  for (int row = 0; row < screen->rows; row++) look_at_row(screen, row);
}

/* Blanks the cells from FIRST to END - 1. Blanks count as drawn. */
static void blank(struct screen *screen, int row, int first, int end) {
  look_at_row(screen, row);
  for (int column = first; column < end; column++)
    cells_of(screen, row)[column] = (struct screen_cell){' ', screen->epoch};
  screen->is_changed[row] = true;
}

static void blank_rows(struct screen *screen, int first, int end) {
  for (int row = first; row < end; row++) blank(screen, row, 0, screen->columns);
}

/* Moves the rows from FIRST to BOTTOM - 1 up by COUNT rows, or down if COUNT is negative. */
static void scroll(struct screen *screen, int first, int count) {
  int rows = screen->bottom - first;
  if (rows <= 0) return;
  screen_look(screen);
  count = clamp(count, -rows, rows);
  uint8_t old[CPROCESS_MOST_ROWS], *places = screen->places + first;
  memcpy(old, places, (size_t)rows);
  for (int row = 0; row < rows; row++) places[row] = old[(row + count + rows) % rows];
  if (count >= 0) blank_rows(screen, screen->bottom - count, screen->bottom);
  else blank_rows(screen, first, first - count);
}

static void move(struct screen *screen, int row, int column) {
  look_at_row(screen, screen->row);
  screen->row = clamp(row, 0, screen->rows - 1);
  screen->column = clamp(column, 0, screen->columns - 1);
}

static void next_row(struct screen *screen) {
  look_at_row(screen, screen->row);
  if (screen->row == screen->bottom - 1)
    scroll(screen, screen->top, 1);
  else if (screen->row < screen->rows - 1)
    screen->row++;
}

static void previous_row(struct screen *screen) {
  look_at_row(screen, screen->row);
  if (screen->row == screen->top)
    scroll(screen, screen->top, -1);
  else if (screen->row > 0)
    screen->row--;
}

static void draw(struct screen *screen, uint32_t character) {
  if (screen->draws_lines[screen->set]) character = character_in_lines(character);
  if (character_is_combining(character)) return;
  int width = character_is_wide(character) && screen->columns > 1 ? 2 : 1;
  if (screen->column + width > screen->columns) {
    screen->column = 0;
    next_row(screen);
  }
  struct screen_cell *cells = cells_of(screen, screen->row);
  cells[screen->column] = (struct screen_cell){character, screen->epoch};
  if (width == 2) cells[screen->column + 1] = (struct screen_cell){0, screen->epoch};
  screen->column += width;
  screen->is_changed[screen->row] = true;
  screen->last = character;
}

/* Returns number INDEX of a sequence, or MISSING if the number is missing or 0. */
static int number(const struct screen *screen, int index, int missing) {
  int value = index <= screen->last_number ? screen->numbers[index] : 0;
  return value ? value : missing;
}

static void clear(struct screen *screen) {
  blank_rows(screen, 0, screen->rows);
  screen->top = 0;
  screen->bottom = screen->rows;
}

static void reset(struct screen *screen) {
  clear(screen);
  screen->row = screen->column = screen->saved_row = screen->saved_column = 0;
  screen->draws_lines[0] = screen->draws_lines[1] = screen->has_application_keys = false;
  screen->set = 0;
}

/* Sets or resets the private modes of a sequence. */
static void set_modes(struct screen *screen, bool is_set) {
  for (int i = 0; i <= screen->last_number; i++) {
    int mode = screen->numbers[i];
    if (mode == 1) screen->has_application_keys = is_set;
    if (mode == 47 || mode == 1047 || mode == 1049) clear(screen); /* the alternate screen, whose cells are not kept */
  }
}

static void answer(struct screen *screen, const char *text) {
  size_t length = strlen(text);
  if (screen->answer_length + length > sizeof screen->answer) return;
  memcpy(screen->answer + screen->answer_length, text, length);
  screen->answer_length += length;
}

static void answer_status(struct screen *screen) {
  char text[32];
  if (number(screen, 0, 0) == 5) answer(screen, "\033[0n");
  if (number(screen, 0, 0) != 6) return;
  snprintf(text, sizeof text, "\033[%d;%dR", screen->row + 1, clamp(screen->column + 1, 1, screen->columns));
  answer(screen, text);
}

static void erase_display(struct screen *screen) {
  int column = clamp(screen->column, 0, screen->columns - 1);
  switch (number(screen, 0, 0)) {
    case 0:
      blank(screen, screen->row, column, screen->columns);
      blank_rows(screen, screen->row + 1, screen->rows);
      break;
    case 1:
      blank_rows(screen, 0, screen->row);
      blank(screen, screen->row, 0, column + 1);
      break;
    case 2: blank_rows(screen, 0, screen->rows); break;
    default: break;
  }
}

static void erase_row(struct screen *screen) {
  int column = clamp(screen->column, 0, screen->columns - 1);
  switch (number(screen, 0, 0)) {
    case 0: blank(screen, screen->row, column, screen->columns); break;
    case 1: blank(screen, screen->row, 0, column + 1); break;
    case 2: blank(screen, screen->row, 0, screen->columns); break;
    default: break;
  }
}

/* Inserts COUNT blanks at the cursor, or removes -COUNT characters. */
static void shift_row(struct screen *screen, int count) {
  int column = clamp(screen->column, 0, screen->columns - 1), rest = screen->columns - column;
  count = clamp(count, -rest, rest);
  look_at_row(screen, screen->row);
  struct screen_cell *cells = cells_of(screen, screen->row) + column;
  if (count >= 0) {
    memmove(cells + count, cells, (size_t)(rest - count) * sizeof *cells);
    blank(screen, screen->row, column, column + count);
  } else {
    memmove(cells, cells - count, (size_t)(rest + count) * sizeof *cells);
    blank(screen, screen->row, screen->columns + count, screen->columns);
  }
}

/* Follows the sequence ESC [ ... FINAL, if the sequence concerns the places of characters. */
static void end_sequence(struct screen *screen, uint8_t final) {
  int count = number(screen, 0, 1), row = screen->row, column = screen->column;
  if (screen->intermediate) return;
  if (screen->prefix) {
    if (screen->prefix == '?' && (final == 'h' || final == 'l')) set_modes(screen, final == 'h');
    return;
  }
  switch (final) {
    case 'A': move(screen, row - count, column); break;
    case 'B': case 'e': move(screen, row + count, column); break;
    case 'C': case 'a': move(screen, row, column + count); break;
    case 'D': move(screen, row, column - count); break;
    case 'E': move(screen, row + count, 0); break;
    case 'F': move(screen, row - count, 0); break;
    case 'G': case '`': move(screen, row, count - 1); break;
    case 'H': case 'f': move(screen, count - 1, number(screen, 1, 1) - 1); break;
    case 'd': move(screen, count - 1, column); break;
    case 'J': erase_display(screen); break;
    case 'K': erase_row(screen); break;
    case 'L': if (row < screen->bottom) scroll(screen, row, -count); break;
    case 'M': if (row < screen->bottom) scroll(screen, row, count); break;
    case '@': shift_row(screen, count); break;
    case 'P': shift_row(screen, -count); break;
    case 'X': blank(screen, row, clamp(column, 0, screen->columns - 1), clamp(column + count, 0, screen->columns)); break;
    case 'S': scroll(screen, screen->top, count); break;
    case 'T': scroll(screen, screen->top, -count); break;
    case 'b': for (int i = 0; i < clamp(count, 0, screen->columns) && screen->last; i++) draw(screen, screen->last); break;
    case 'r': {
      int top = count - 1, bottom = number(screen, 1, screen->rows);
      if (bottom > screen->rows) bottom = screen->rows;
      if (top + 1 >= bottom) break;
      screen->top = top;
      screen->bottom = bottom;
      move(screen, 0, 0);
      break;
    }
    case 's': screen->saved_row = row; screen->saved_column = column; break;
    case 'u': move(screen, screen->saved_row, screen->saved_column); break;
    case 'c': answer(screen, "\033[?1;2c"); break; /* the answer of a VT100 with advanced video */
    case 'n': answer_status(screen); break;
    default: break;
  }
}

static void in_sequence(struct screen *screen, uint8_t byte) {
  int *last = &screen->numbers[screen->last_number];
  if (byte >= '0' && byte <= '9') {
    *last = clamp(*last * 10 + byte - '0', 0, 9999);
  } else if (byte == ';' || byte == ':') {
    if (screen->last_number < (int)(sizeof screen->numbers / sizeof *screen->numbers) - 1)
      screen->numbers[++screen->last_number] = 0;
  } else if (byte >= '<' && byte <= '?') {
    screen->prefix = byte;
  } else if (byte >= ' ' && byte <= '/') {
    screen->intermediate = byte;
  } else {
    screen->state = SCREEN_TEXT;
    if (byte >= '@' && byte <= '~') end_sequence(screen, byte);
  }
}

static void after_escape(struct screen *screen, uint8_t byte) {
  screen->state = SCREEN_TEXT;
  switch (byte) {
    case '[':
      screen->state = SCREEN_SEQUENCE;
      screen->prefix = screen->intermediate = 0;
      screen->last_number = screen->numbers[0] = 0;
      break;
    case ']': case 'P': case 'X': case '^': case '_': screen->state = SCREEN_STRING; break;
    case '7': screen->saved_row = screen->row; screen->saved_column = screen->column; break;
    case '8': move(screen, screen->saved_row, screen->saved_column); break;
    case 'D': next_row(screen); break;
    case 'E': screen->column = 0; next_row(screen); break;
    case 'M': previous_row(screen); break;
    case 'c': reset(screen); break;
    default:
      if (byte < ' ' || byte > '/') break;
      screen->state = SCREEN_INTERMEDIATE;
      screen->intermediate = byte;
  }
}

static void control(struct screen *screen, uint8_t byte) {
  switch (byte) {
    case '\b': move(screen, screen->row, screen->column - 1); break;
    case '\t': move(screen, screen->row, (screen->column / 8 + 1) * 8); break;
    case '\n': case '\v': case '\f': next_row(screen); break;
    case '\r': move(screen, screen->row, 0); break;
    case 14: screen->set = 1; break;
    case 15: screen->set = 0; break;
    case 033: screen->state = SCREEN_ESCAPE; break;
    default: break;
  }
}

static void in_text(struct screen *screen, uint8_t byte) {
  if (screen->missing && (byte & 0xc0) == 0x80) {
    screen->code = screen->code << 6 | (byte & 0x3f);
    if (--screen->missing == 0) draw(screen, screen->code ? screen->code : 0xfffd);
    return;
  }
  if (screen->missing) draw(screen, 0xfffd);
  screen->missing = 0;
  if (byte < ' ' || byte == 127) {
    control(screen, byte);
  } else if (byte < 0x80) {
    draw(screen, byte);
  } else if (byte >= 0xc2 && byte < 0xf5) {
    screen->missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    screen->code = byte & (0x3fu >> screen->missing);
  } else {
    draw(screen, 0xfffd);
  }
}

static void put(struct screen *screen, uint8_t byte) {
  if (byte == 24 || byte == 26) { /* the bytes CAN and SUB end a sequence */
    screen->state = SCREEN_TEXT;
    return;
  }
  switch (screen->state) {
    case SCREEN_TEXT: in_text(screen, byte); break;
    case SCREEN_ESCAPE: after_escape(screen, byte); break;
    case SCREEN_INTERMEDIATE:
      screen->state = SCREEN_TEXT;
      if (screen->intermediate == '(' || screen->intermediate == ')')
        screen->draws_lines[screen->intermediate == ')'] = byte == '0';
      break;
    case SCREEN_SEQUENCE:
      if (byte < ' ') control(screen, byte); /* a control character may be within a sequence */
      else in_sequence(screen, byte);
      break;
    case SCREEN_STRING:
      if (byte == 7) screen->state = SCREEN_TEXT;
      else if (byte == 033) screen->state = SCREEN_ESCAPE; /* ESC \ ends the text, and any other sequence does, too */
      break;
  }
}

void screen_begin(struct screen *screen, int columns, int rows) {
  memset(screen, 0, sizeof *screen);
  screen->columns = columns;
  screen->rows = rows;
  for (int row = 0; row < CPROCESS_MOST_ROWS; row++) screen->places[row] = (uint8_t)row;
  reset(screen);
  screen->epoch = 1;
}

size_t screen_write(struct screen *screen, const uint8_t *bytes, size_t count) {
  size_t done = 0;
  while (done < count && !screen->is_found) put(screen, bytes[done++]);
  return done;
}

/* The caller has checked that TEXT is UTF-8. */
void screen_await(struct screen *screen, const char *text) {
  screen->length = 0;
  screen->is_found = false;
  for (const uint8_t *byte = (const uint8_t *)text; *byte && screen->length < CPROCESS_MOST_TEXT;) {
    int more = *byte < 0x80 ? 0 : *byte < 0xe0 ? 1 : *byte < 0xf0 ? 2 : 3;
    uint32_t code = more ? *byte & (0x3fu >> more) : *byte;
    for (byte++; more && *byte; more--) code = code << 6 | (*byte++ & 0x3f);
    screen->text[screen->length++] = code;
  }
  memset(screen->is_changed, true, sizeof screen->is_changed);
  screen_look(screen);
}

void screen_resize(struct screen *screen, int columns, int rows) {
  screen_look(screen);
  int old_columns = screen->columns, old_rows = screen->rows;
  screen->columns = columns;
  screen->rows = rows;
  for (int row = 0; row < rows; row++) blank(screen, row, row < old_rows ? clamp(old_columns, 0, columns) : 0, columns);
  screen->top = 0;
  screen->bottom = rows;
  move(screen, screen->row, screen->column);
}

bool screen_row(const struct screen *screen, int row, char *text) {
  if (row < 0 || row >= screen->rows) return false;
  char *end = text, *last = text;
  for (int column = 0; column < screen->columns; column++) {
    uint32_t character = screen->cells[screen->places[row]][column].character;
    if (!character) continue;
    end = character_append(end, character);
    if (character != ' ') last = end;
  }
  *last = 0;
  return true;
}
