#include "character.h"

/* The ranges are the wide blocks of Unicode's EastAsianWidth.txt. */
bool character_is_wide(uint32_t character) {
  return (character >= 0x1100 && character <= 0x115f) || (character >= 0x2e80 && character <= 0xa4cf) ||
         (character >= 0xac00 && character <= 0xd7a3) || (character >= 0xf900 && character <= 0xfaff) ||
         (character >= 0xfe30 && character <= 0xfe6f) || (character >= 0xff00 && character <= 0xff60) ||
         (character >= 0xffe0 && character <= 0xffe6) || (character >= 0x1f300 && character <= 0x1faff) ||
         (character >= 0x20000 && character <= 0x3fffd);
}

bool character_is_combining(uint32_t character) {
  return (character >= 0x300 && character <= 0x36f) || (character >= 0x200b && character <= 0x200f) ||
         (character >= 0xfe00 && character <= 0xfe0f);
}

/* Only the places of line-drawing characters matter, so most of them become '+'. */
uint32_t character_in_lines(uint32_t character) {
  if (character < '`' || character > '~') return character;
  return character == 'q' ? 0x2500 : character == 'x' ? 0x2502 : '+';
}

char *character_append(char *end, uint32_t code) {
  if (code < 0x80) {
    *end++ = (char)code;
  } else if (code < 0x800) {
    *end++ = (char)(0xc0 | code >> 6);
    *end++ = (char)(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *end++ = (char)(0xe0 | code >> 12);
    *end++ = (char)(0x80 | (code >> 6 & 0x3f));
    *end++ = (char)(0x80 | (code & 0x3f));
  } else {
    *end++ = (char)(0xf0 | (code >> 18 & 7));
    *end++ = (char)(0x80 | (code >> 12 & 0x3f));
    *end++ = (char)(0x80 | (code >> 6 & 0x3f));
    *end++ = (char)(0x80 | (code & 0x3f));
  }
  return end;
}
