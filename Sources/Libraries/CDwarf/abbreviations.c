// Checks the abbreviations of a compilation unit before its entries are read: DWARF 5, section 7.5.3.
//
// A table ends with the code 0. Units may share a table, as in the output of dsymutil; libdwarf reads the table again
// for each unit and keeps all copies.

#include <string.h>

#include "reader.h"

// An upper bound for the memory that libdwarf uses for one abbreviation, in bytes.
enum { OF_ABBREVIATION_COST = 256 };

const of_section *of_find_section(const orderfile_dwarf *reader, const char *name) {
  for (unsigned i = 1; i < reader->section_count; i++)
    if (strcmp(reader->sections[i].name, name) == 0) return &reader->sections[i];
  return NULL;
}

typedef struct {
  const uint8_t *next, *end;
} of_numbers;

// Reads an unsigned or signed LEB128 number. Callers distinguish only zero and small values. Returns false at the end.
static bool of_read_number(of_numbers *numbers, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; numbers->next < numbers->end; shift += 7) {
    uint8_t byte = *numbers->next++;
    if (shift < 64) *value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

// Reads an abbreviation. Returns false after the last abbreviation, and at the end of the section.
static bool of_read_abbreviation(of_numbers *numbers, bool *states_siblings) {
  uint64_t code = 0, tag = 0, attribute = 0, form = 0, constant = 0;
  if (!of_read_number(numbers, &code) || code == 0 || !of_read_number(numbers, &tag)) return false;
  if (numbers->next == numbers->end) return false;
  numbers->next++;  // the byte that states whether entries have children
  while (of_read_number(numbers, &attribute) && of_read_number(numbers, &form)) {
    if (attribute == 0 && form == 0) return true;
    if (attribute == DW_AT_sibling) *states_siblings = true;
    if (form == DW_FORM_implicit_const && !of_read_number(numbers, &constant)) return false;
  }
  return false;
}

bool of_read_abbreviations(orderfile_dwarf *reader, Dwarf_Off offset) {
  const of_section *section = of_find_section(reader, ".debug_abbrev");
  reader->unit_states_siblings = false;
  if (!section || offset >= section->size) return true;
  const uint8_t *bytes = section->bytes;
  of_numbers numbers = {bytes + offset, bytes + section->size};
  uint64_t limit = (16 * reader->byte_count + (64 << 20)) / OF_ABBREVIATION_COST;
  while (of_read_abbreviation(&numbers, &reader->unit_states_siblings))
    if (++reader->abbreviation_count > limit) return false;
  return true;
}
