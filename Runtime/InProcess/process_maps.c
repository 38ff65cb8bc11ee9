#include "of_process_maps.h"

#include <sys/mman.h>

/* Parses the number in BASE at *TEXT, and advances past it. */
OF_LOCAL uint64_t of_number(const char **text, unsigned base) {
  uint64_t value = 0;
  for (;; ++*text) {
    char c = **text;
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                            : 99;
    if (digit >= base) return value;
    value = value * base + digit;
  }
}

/* Advances *TEXT past one character, but not past a line feed. */
OF_LOCAL void of_skip(const char **text) {
  if (**text != '\n') ++*text;
}

/* Parses a line of the form `start-end rwxp offset major:minor inode path`. */
OF_INTERNAL void of_parse_mapping(const char *line, struct of_mapping *mapping) {
  mapping->start = of_number(&line, 16);
  of_skip(&line);
  mapping->end = of_number(&line, 16);
  of_skip(&line);
  static const struct {
    char letter;
    uint8_t protection;
  } letters[3] = {{'r', PROT_READ}, {'w', PROT_WRITE}, {'x', PROT_EXEC}};
  mapping->protection = 0;
  for (int i = 0; i < 3; i++) {
    if (*line == letters[i].letter) mapping->protection |= letters[i].protection;
    of_skip(&line);
  }
  of_skip(&line); /* p or s, and a space */
  of_skip(&line);
  mapping->offset = of_number(&line, 16);
  of_skip(&line);
  mapping->device = of_number(&line, 16) << 32;
  of_skip(&line);
  mapping->device |= of_number(&line, 16);
  of_skip(&line);
  mapping->inode = of_number(&line, 10);
  while (*line == ' ') line++;
  mapping->path = *line == '/' ? line : NULL;
}

OF_INTERNAL bool of_is_same_line(const char *line, const char *other) {
  while (*line == *other && *line != '\n' && *line) line++, other++;
  return (*line == '\n' || !*line) && (*other == '\n' || !*other);
}

OF_INTERNAL size_t of_each_mapping_in(const char *text, size_t size,
                                      void (*body)(const struct of_mapping *, void *),
                                      void *context) {
  size_t line = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] != '\n') continue;
    OF_RAW struct of_mapping mapping;
    of_parse_mapping(text + line, &mapping);
    body(&mapping, context);
    line = i + 1;
  }
  return line;
}
