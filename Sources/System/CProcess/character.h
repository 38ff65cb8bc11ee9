/* The characters of a terminal, as numbers of Unicode. */
#ifndef CHARACTER_H
#define CHARACTER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the character takes two cells. */
bool character_is_wide(uint32_t character);
/* Returns whether the character takes no cell. */
bool character_is_combining(uint32_t character);
/* Returns the character that the set of line-drawing characters has in the place of an ASCII character. */
uint32_t character_in_lines(uint32_t character);
/* Appends the character as UTF-8, at most 4 bytes, and returns the new end. */
char *character_append(char *end, uint32_t code);

#endif
