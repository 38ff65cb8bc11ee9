/* The characters of a terminal, as numbers of Unicode. */
#ifndef CHARACTER_H
#define CHARACTER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the character takes two cells, or none. */
bool character_is_wide(uint32_t character);
bool character_is_combining(uint32_t character);
/* The character of the set with lines at the place of an ASCII character. */
uint32_t character_in_lines(uint32_t character);
/* Appends the character as UTF-8, at most 4 bytes, and returns the new end. */
char *character_append(char *end, uint32_t code);

#endif
