// Walks over all compilation units, depth first, one function per call.
//
// Damage must cost one unit, not the file or unbounded time. So an error abandons its unit, and each entry must come
// after the entry that was visited before it. A DW_AT_sibling that points backwards, or into its own subtree, violates
// this.
//
// libdwarf finds an entry's sibling by skipping everything below the entry, and follows any DW_AT_sibling there:
// version 20210528 loops forever if DW_AT_sibling refers to its own entry. So if entries have DW_AT_sibling, all of
// them are visited and their siblings checked before the sibling of their parent is requested.

#include <stdlib.h>
#include <string.h>

#include "reader.h"

orderfile_dwarf *orderfile_dwarf_new(bool is_64_bit, bool is_big_endian) {
  orderfile_dwarf *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->is_64_bit = is_64_bit;
  reader->is_big_endian = is_big_endian;
  reader->section_count = 1;
  return reader;
}

bool orderfile_dwarf_add(
    orderfile_dwarf *reader, const char *name, const void *bytes, uint64_t size) {
  bool is_ours = strcmp(name, ".debug_rnglists") == 0;
  if (reader->section_count == OF_GREATEST_SECTION_COUNT) return false;
  of_section *section = is_ours ? &reader->range_lists : &reader->sections[reader->section_count];
  size_t length = strlen(name);
  if (length >= sizeof section->name) return false;
  memcpy(section->name, name, length + 1);
  section->bytes = bytes;
  section->size = size;
  reader->byte_count += size;
  if (!is_ours) reader->section_count++;
  return true;
}

bool orderfile_dwarf_load(orderfile_dwarf *reader, char *message, size_t message_size) {
  Dwarf_Error error = NULL;
  int status = of_open_sections(reader, &error);
  if (status == DW_DLV_OK) return true;
  const char *text = status == DW_DLV_ERROR ? dwarf_errmsg(error) : "no debug information";
  size_t length = strlen(text);
  if (message_size > 0) {
    if (length >= message_size) length = message_size - 1;
    memcpy(message, text, length);
    message[length] = 0;
  }
  // Without a Dwarf_Debug, the error is libdwarf's static error, or is freed by this call.
  dwarf_dealloc_error(reader->debug, error);
  return false;
}

static void of_leave_unit(orderfile_dwarf *reader) {
  while (reader->depth > 0) {
    Dwarf_Die die = reader->pending[--reader->depth];
    if (die) dwarf_dealloc_die(die);
  }
}

// Puts the first entry below `parent` on the stack. Returns false on damage.
static bool of_enter(orderfile_dwarf *reader, Dwarf_Die parent) {
  Dwarf_Error error = NULL;
  Dwarf_Die child = NULL;
  int status = dwarf_child(parent, &child, &error);
  of_drop_error(reader, &error);
  if (status == DW_DLV_NO_ENTRY) return true;
  if (status != DW_DLV_OK) return false;
  if (reader->depth == OF_GREATEST_DEPTH) {
    dwarf_dealloc_die(child);
    return false;
  }
  reader->pending[reader->depth] = child;
  reader->is_visited[reader->depth++] = false;
  return true;
}

// Whether the unit states where its code is. The skeleton units that Swift writes for Clang modules do not.
static bool of_has_code(orderfile_dwarf *reader, Dwarf_Die unit) {
  Dwarf_Error error = NULL;
  Dwarf_Bool has_start = 0, has_ranges = 0;
  dwarf_hasattr(unit, DW_AT_low_pc, &has_start, &error);
  of_drop_error(reader, &error);
  dwarf_hasattr(unit, DW_AT_ranges, &has_ranges, &error);
  of_drop_error(reader, &error);
  return has_start || has_ranges;
}

// The value of an attribute that is an offset into another section; 0 if it is absent.
static Dwarf_Off of_offset(orderfile_dwarf *reader, Dwarf_Die unit, Dwarf_Half name) {
  Dwarf_Error error = NULL;
  Dwarf_Attribute attribute = NULL;
  Dwarf_Off offset = 0;
  if (dwarf_attr(unit, name, &attribute, &error) == DW_DLV_OK) {
    if (dwarf_global_formref(attribute, &offset, &error) != DW_DLV_OK) offset = 0;
    dwarf_dealloc_attribute(attribute);
  }
  of_drop_error(reader, &error);
  return offset;
}

// Whether the compiler lists the piece with a function's entry last: clang before 20.
static bool of_puts_entry_last(const char *producer) {
  const char *clang = producer ? strstr(producer, "clang version ") : NULL;
  return clang && strtoul(clang + strlen("clang version "), NULL, 10) < 20;
}

// Advances to the next compilation unit with entries. Returns false after the last unit.
static bool of_enter_next_unit(orderfile_dwarf *reader) {
  while (reader->depth == 0) {
    Dwarf_Error error = NULL;
    Dwarf_Unsigned length = 0, type_offset = 0, next = 0;
    Dwarf_Half version = 0, address_size = 0, offset_size = 0, extension_size = 0, unit_type = 0;
    Dwarf_Off abbreviations = 0;
    Dwarf_Sig8 signature;
    int status = dwarf_next_cu_header_d(
        reader->debug, 1, &length, &version, &abbreviations, &address_size, &offset_size,
        &extension_size, &signature, &type_offset, &next, &unit_type, &error);
    of_drop_error(reader, &error);
    if (status == DW_DLV_NO_ENTRY) return false;
    if (status != DW_DLV_OK) {  // the start of the next unit is unknown
      reader->damaged_units++;
      return false;
    }
    if (!of_read_abbreviations(reader, abbreviations)) {
      reader->is_spent = true;
      return false;
    }
    Dwarf_Die unit = NULL;
    status = dwarf_siblingof_b(reader->debug, NULL, 1, &unit, &error);
    of_drop_error(reader, &error);
    if (status != DW_DLV_OK) {
      reader->damaged_units += status == DW_DLV_ERROR;
      continue;
    }
    if (unit_type == DW_UT_skeleton && of_has_code(reader, unit)) reader->skeleton_units++;
    reader->unit_base = 0;
    if (dwarf_lowpc(unit, &reader->unit_base, &error) == DW_DLV_ERROR) reader->unit_base = 0;
    of_drop_error(reader, &error);
    reader->unit_range_lists = of_offset(reader, unit, DW_AT_rnglists_base);
    reader->unit_name = of_text(reader, unit, DW_AT_name);
    reader->unit_name_size = reader->unit_name ? strlen(reader->unit_name) : 0;
    reader->unit_count++;
    const char *producer = of_text(reader, unit, DW_AT_producer);
    reader->unit_producer = producer;
    reader->unit_producer_size = producer ? strlen(producer) : 0;
    reader->unit_pieces = of_count_pieces(reader, unit);
    reader->unit_omits_linkage_names = producer && strncmp(producer, "GNU C++", 7) == 0;
    reader->unit_puts_entry_last = of_puts_entry_last(producer);
    if (!of_enter(reader, unit)) reader->damaged_units++;
    dwarf_dealloc_die(unit);
  }
  return true;
}

// Whether a function can be below an entry with `tag`, at any depth.
static bool of_may_hold_functions(Dwarf_Half tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_variant_part:
    case DW_TAG_variant:
    case DW_TAG_subprogram:  // functions may be inside of functions: GNU C's nested functions, Rust's closures
    case DW_TAG_lexical_block:
      return true;
    default:
      return false;
  }
}

// Whether the sibling of the entry at `offset` comes after the entry; true if the entry states no sibling.
static bool of_has_sound_sibling(orderfile_dwarf *reader, Dwarf_Die die, Dwarf_Off offset) {
  if (!reader->unit_states_siblings) return true;
  Dwarf_Error error = NULL;
  Dwarf_Attribute attribute = NULL;
  Dwarf_Off sibling = 0;
  bool is_sound = true;
  if (dwarf_attr(die, DW_AT_sibling, &attribute, &error) == DW_DLV_OK) {
    is_sound = dwarf_global_formref(attribute, &sibling, &error) == DW_DLV_OK && sibling > offset;
    dwarf_dealloc_attribute(attribute);
  }
  of_drop_error(reader, &error);
  return is_sound;
}

// Replaces the entry on top of the stack by its sibling. Returns false on damage.
static bool of_go_on(orderfile_dwarf *reader) {
  Dwarf_Error error = NULL;
  Dwarf_Die die = reader->pending[reader->depth - 1], sibling = NULL;
  int status = dwarf_siblingof_b(reader->debug, die, 1, &sibling, &error);
  of_drop_error(reader, &error);
  dwarf_dealloc_die(die);
  reader->pending[reader->depth - 1] = NULL;
  if (status == DW_DLV_OK) {
    reader->pending[reader->depth - 1] = sibling;
    reader->is_visited[reader->depth - 1] = false;
  } else {
    reader->depth--;
  }
  return status != DW_DLV_ERROR;
}

// Visits the entry on top of the stack and pushes its first child, or advances if it was already visited.
// Returns DW_DLV_OK with `function` filled in, DW_DLV_NO_ENTRY for another kind of entry, or DW_DLV_ERROR.
static int of_visit(orderfile_dwarf *reader, orderfile_dwarf_function *function) {
  unsigned level = reader->depth - 1;
  if (reader->is_visited[level]) return of_go_on(reader) ? DW_DLV_NO_ENTRY : DW_DLV_ERROR;
  reader->is_visited[level] = true;
  Dwarf_Error error = NULL;
  Dwarf_Die die = reader->pending[level];
  Dwarf_Half tag = 0;
  Dwarf_Off offset = 0;

  int status = dwarf_dieoffset(die, &offset, &error);
  if (status == DW_DLV_OK && offset <= reader->last_visited) status = DW_DLV_ERROR;
  reader->last_visited = offset;
  if (status == DW_DLV_OK) status = dwarf_tag(die, &tag, &error);
  if (status == DW_DLV_OK && !of_has_sound_sibling(reader, die, offset)) status = DW_DLV_ERROR;
  bool may_hold = status == DW_DLV_OK && of_may_hold_functions(tag)
      && (level == 0 || reader->may_hold[level - 1]);
  reader->may_hold[level] = may_hold;
  if (status == DW_DLV_OK && (may_hold || reader->unit_states_siblings) && !of_enter(reader, die))
    status = DW_DLV_ERROR;
  if (status == DW_DLV_OK) {
    bool is_ours = tag == DW_TAG_subprogram && (level == 0 || reader->may_hold[level - 1]);
    status = is_ours ? of_describe_function(reader, die, function, &error) : DW_DLV_NO_ENTRY;
  }
  of_drop_error(reader, &error);
  return status;
}

bool orderfile_dwarf_next(orderfile_dwarf *reader, orderfile_dwarf_function *function) {
  if (!reader->debug) return false;
  while (!reader->is_spent && of_enter_next_unit(reader)) {
    int status = of_visit(reader, function);
    if (status == DW_DLV_OK) return true;
    if (status != DW_DLV_ERROR) continue;
    reader->damaged_units++;
    of_leave_unit(reader);
  }
  return false;
}

bool orderfile_dwarf_is_spent(const orderfile_dwarf *reader) { return reader->is_spent; }

uint64_t orderfile_dwarf_damaged_units(const orderfile_dwarf *reader) {
  return reader->damaged_units;
}

uint64_t orderfile_dwarf_unnamed_functions(const orderfile_dwarf *reader) {
  return reader->unnamed_functions;
}

uint64_t orderfile_dwarf_skeleton_units(const orderfile_dwarf *reader) {
  return reader->skeleton_units;
}

void orderfile_dwarf_close(orderfile_dwarf *reader) {
  if (!reader) return;
  of_leave_unit(reader);
  of_close_sections(reader);
  free(reader);
}
