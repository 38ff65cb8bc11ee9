// Declarations that the files of this target share.

#ifndef ORDERFILE_CDWARF_READER_H
#define ORDERFILE_CDWARF_READER_H

#include "cdwarf.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

// The greatest depth of entries is deeper than any compiler nests namespaces, types, functions and blocks.
enum { OF_GREATEST_DEPTH = 256, OF_GREATEST_SECTION_COUNT = 32 };

typedef struct {
  char name[32];
  const void *bytes;
  uint64_t size;
} of_section;

struct orderfile_dwarf {
  bool is_64_bit, is_big_endian;
  // Section 0 is reserved, as in ELF.
  of_section sections[OF_GREATEST_SECTION_COUNT];
  unsigned section_count;
  of_section range_lists;  // .debug_rnglists, which libdwarf doesn't see; without bytes if absent

  void *interface;    // the callbacks that give libdwarf sections; NULL until loaded
  Dwarf_Debug debug;  // NULL until loaded
  // The entry on each level of the tree, visited or not. Level 0 is below the entry of the compilation unit.
  Dwarf_Die pending[OF_GREATEST_DEPTH];
  bool is_visited[OF_GREATEST_DEPTH], may_hold[OF_GREATEST_DEPTH];
  unsigned depth;
  Dwarf_Off last_visited;
  Dwarf_Addr unit_base;        // the base of range lists that set no other base
  Dwarf_Off unit_range_lists;  // DW_AT_rnglists_base; 0 if absent
  bool unit_omits_linkage_names;  // for functions that are local to their file
  bool unit_puts_entry_last;      // the piece with the entry is the last piece of a function
  bool unit_states_siblings;      // some entries may have DW_AT_sibling
  const char *unit_name;          // NULL if absent
  size_t unit_name_size;
  const char *unit_producer;      // NULL if absent
  size_t unit_producer_size;
  uint64_t unit_pieces;           // the pieces of code that the linker kept; 0 if unknown
  uint64_t unit_count;            // the units entered so far, including the current one
  uint64_t byte_count;            // the size of all sections
  uint64_t abbreviation_count;    // the abbreviations that libdwarf has or will have in memory
  uint64_t text_size;             // the size of all strings that were read
  uint64_t range_size;            // the bytes that were read of all lists of ranges
  bool is_spent;                  // one of these counts exceeds what the sections' size allows
  uint64_t damaged_units, skeleton_units, unnamed_functions;
};

// Gives libdwarf the reader's sections. Returns libdwarf's DW_DLV_OK, DW_DLV_NO_ENTRY or DW_DLV_ERROR.
int of_open_sections(orderfile_dwarf *reader, Dwarf_Error *error);
void of_close_sections(orderfile_dwarf *reader);

// The string value of one attribute; NULL if it is absent or unreadable (a string in a supplementary
// file, which we don't have).
const char *of_text(orderfile_dwarf *reader, Dwarf_Die die, Dwarf_Half attribute);

// Finds the name, the address and the size of a DW_TAG_subprogram. Returns DW_DLV_NO_ENTRY for a declaration and for a
// function without a name; functions without a name are counted.
int of_describe_function(
    orderfile_dwarf *reader, Dwarf_Die die, orderfile_dwarf_function *function, Dwarf_Error *error);

// Counts the pieces of code that the unit states; see `unit_pieces`.
uint64_t of_count_pieces(orderfile_dwarf *reader, Dwarf_Die unit);

// How to find the piece that has the entry of a function: by the entry's address, or by the piece's place in the list.
typedef struct {
  bool is_known;
  Dwarf_Addr address;
  bool is_last;  // if false, the first piece has the entry
  uint64_t *piece_count;  // counts the pieces that were read and are in the image; NULL if not needed
} of_entry;

// Finds the piece with the entry in the DWARF 5 list that `operand` refers to, by index for DW_FORM_rnglistx, otherwise
// by offset in .debug_rnglists; `offset_size` is the size of the unit's offsets. If only the place in the list decides,
// the piece at the other end of the list becomes the function's other address. Returns false if the list has no piece
// or is damaged.
bool of_entry_of_range_list(
    orderfile_dwarf *reader, Dwarf_Die die, bool is_index, uint64_t operand,
    unsigned offset_size, const of_entry *entry, orderfile_dwarf_function *function);

// Does the same as of_entry_of_range_list, for the list at `offset` of .debug_ranges.
bool of_entry_of_ranges(
    orderfile_dwarf *reader, uint64_t offset, const of_entry *entry,
    orderfile_dwarf_function *function);

// Determines from the abbreviations at `offset` whether entries of a unit may have DW_AT_sibling, and counts
// the abbreviations, because libdwarf keeps a table of them for each unit. Returns false if there are too many.
bool of_read_abbreviations(orderfile_dwarf *reader, Dwarf_Off offset);

// A section by name; NULL if it is absent.
const of_section *of_find_section(const orderfile_dwarf *reader, const char *name);

// Releases an error, so that a file full of errors uses no memory. `*error` may be NULL, and is NULL
// afterwards.
void of_drop_error(orderfile_dwarf *reader, Dwarf_Error *error);

#endif
