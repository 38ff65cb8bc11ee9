// Reads the place and the name of a function from its DW_TAG_subprogram. The name may be in another entry, to which
// this entry refers.

#include <string.h>

#include "reader.h"

void of_drop_error(orderfile_dwarf *reader, Dwarf_Error *error) {
  if (*error) dwarf_dealloc_error(reader->debug, *error);
  *error = NULL;
}

const char *of_text(orderfile_dwarf *reader, Dwarf_Die die, Dwarf_Half attribute) {
  Dwarf_Error error = NULL;
  char *text = NULL;
  if (reader->is_spent) return NULL;
  if (dwarf_die_text(die, attribute, &text, &error) == DW_DLV_OK && text && *text) {
    // The sizes of all strings are added up, because strings may overlap and each is read to its end.
    reader->text_size += strlen(text);
    if (reader->text_size > 16 * reader->byte_count + (64 << 20)) reader->is_spent = true;
    return text;
  }
  of_drop_error(reader, &error);
  return NULL;
}

// The entry that `attribute` refers to; NULL if there is none. The caller frees it.
static Dwarf_Die of_referenced(orderfile_dwarf *reader, Dwarf_Die die, Dwarf_Half attribute) {
  Dwarf_Error error = NULL;
  Dwarf_Attribute reference = NULL;
  Dwarf_Die result = NULL;
  if (dwarf_attr(die, attribute, &reference, &error) == DW_DLV_OK) {
    Dwarf_Off offset = 0;
    if (dwarf_global_formref(reference, &offset, &error) != DW_DLV_OK
        || dwarf_offdie_b(reader->debug, offset, 1, &result, &error) != DW_DLV_OK)
      result = NULL;
    dwarf_dealloc_attribute(reference);
  }
  of_drop_error(reader, &error);
  return result;
}

static bool of_is_external(orderfile_dwarf *reader, Dwarf_Die die) {
  Dwarf_Error error = NULL;
  Dwarf_Bool is_external = 0;
  if (dwarf_hasattr(die, DW_AT_external, &is_external, &error) != DW_DLV_OK) is_external = 0;
  of_drop_error(reader, &error);
  return is_external;
}

// The name of the symbol. A linkage name anywhere along DW_AT_abstract_origin and DW_AT_specification takes
// precedence over a plain name: an out-of-line copy of an inlined method has neither, its origin refers to a
// declaration, and the declaration has both.
//
// A missing linkage name means that it equals the plain name, except that GNU C++ omits it for functions that are local
// to their file: their symbol cannot be known, and "f" would be another function.
static const char *of_function_name(orderfile_dwarf *reader, Dwarf_Die function) {
  const char *plain = NULL, *linkage = NULL;
  Dwarf_Die die = function;
  bool is_external = false;
  for (int step = 0; die && step < 8; step++) {  // a chain has three entries, and may be a cycle if damaged
    linkage = of_text(reader, die, DW_AT_linkage_name);
    if (!linkage) linkage = of_text(reader, die, DW_AT_MIPS_linkage_name);
    if (!plain) plain = of_text(reader, die, DW_AT_name);
    is_external = is_external || of_is_external(reader, die);
    if (linkage) break;
    Dwarf_Die next = of_referenced(reader, die, DW_AT_abstract_origin);
    if (!next) next = of_referenced(reader, die, DW_AT_specification);
    if (die != function) dwarf_dealloc_die(die);
    die = next;
  }
  if (die && die != function) dwarf_dealloc_die(die);
  if (linkage) return linkage;
  return reader->unit_omits_linkage_names && !is_external ? NULL : plain;
}

// The address of a function's first instruction, if the entry states it.
static bool of_entry_address(orderfile_dwarf *reader, Dwarf_Die die, Dwarf_Addr *address) {
  static const Dwarf_Half names[] = {DW_AT_entry_pc, DW_AT_low_pc};
  for (int i = 0; i < 2; i++) {
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute = NULL;
    int status = dwarf_attr(die, names[i], &attribute, &error);
    if (status == DW_DLV_OK) {
      // DW_AT_entry_pc may also be a distance, which no compiler uses here: then it has another form.
      status = dwarf_formaddr(attribute, address, &error);
      dwarf_dealloc_attribute(attribute);
    }
    of_drop_error(reader, &error);
    if (status == DW_DLV_OK) return true;
  }
  return false;
}

// Finds the piece with the entry of code in several pieces.
static int of_find_piece(
    orderfile_dwarf *reader, Dwarf_Die die, const of_entry *entry,
    orderfile_dwarf_function *function, Dwarf_Error *error) {
  Dwarf_Attribute attribute = NULL;
  int status = dwarf_attr(die, DW_AT_ranges, &attribute, error);
  if (status != DW_DLV_OK) return status;
  Dwarf_Half form = 0, version = 0, offset_size = 0;
  Dwarf_Unsigned operand = 0;
  status = dwarf_whatform(attribute, &form, error);
  if (status == DW_DLV_OK) status = dwarf_get_version_of_die(die, &version, &offset_size);
  if (status == DW_DLV_OK) {
    Dwarf_Off offset = 0;
    if (form == DW_FORM_rnglistx || form == DW_FORM_udata || form == DW_FORM_data4
        || form == DW_FORM_data8) {
      status = dwarf_formudata(attribute, &operand, error);
    } else {
      status = dwarf_global_formref(attribute, &offset, error);
      operand = offset;
    }
  }
  if (status == DW_DLV_OK && version < 5) {
    if (!of_entry_of_ranges(reader, operand, entry, function)) status = DW_DLV_NO_ENTRY;
  } else if (status == DW_DLV_OK) {
    bool is_index = form == DW_FORM_rnglistx;
    if (!of_entry_of_range_list(
            reader, die, is_index, operand, offset_size, entry, function))
      status = DW_DLV_NO_ENTRY;
  }
  dwarf_dealloc_attribute(attribute);
  return status;
}

// Finds the piece with the entry of a function in several pieces.
static int of_entry_range(
    orderfile_dwarf *reader, Dwarf_Die die, orderfile_dwarf_function *function,
    Dwarf_Error *error) {
  of_entry entry = {.is_last = reader->unit_puts_entry_last};
  entry.is_known = of_entry_address(reader, die, &entry.address);
  return of_find_piece(reader, die, &entry, function, error);
}

uint64_t of_count_pieces(orderfile_dwarf *reader, Dwarf_Die unit) {
  Dwarf_Error error = NULL;
  Dwarf_Bool has_end = 0;
  if (dwarf_hasattr(unit, DW_AT_high_pc, &has_end, &error) != DW_DLV_OK) has_end = 0;
  of_drop_error(reader, &error);
  if (has_end) return 1;
  uint64_t count = 0;
  of_entry none = {.piece_count = &count};
  orderfile_dwarf_function ignored = {0};
  int status = of_find_piece(reader, unit, &none, &ignored, &error);
  of_drop_error(reader, &error);
  return status == DW_DLV_OK ? count : 0;
}

int of_describe_function(
    orderfile_dwarf *reader, Dwarf_Die die, orderfile_dwarf_function *function, Dwarf_Error *error) {
  Dwarf_Addr low = 0, high = 0;
  memset(function, 0, sizeof *function);
  int status = dwarf_lowpc(die, &low, error);
  if (status == DW_DLV_OK) {
    Dwarf_Half form = 0;
    enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
    function->address = low;
    status = dwarf_highpc_b(die, &high, &form, &class, error);
    // Since DWARF 4, DW_AT_high_pc may be the size of the function instead of an address.
    if (status == DW_DLV_OK && class == DW_FORM_CLASS_CONSTANT) function->size = high;
    if (status == DW_DLV_OK && class != DW_FORM_CLASS_CONSTANT && high > low)
      function->size = high - low;
    if (status == DW_DLV_NO_ENTRY) {
      // The entry states no size: a list of pieces may state it.
      status = of_entry_range(reader, die, function, error);
      if (status == DW_DLV_NO_ENTRY) status = DW_DLV_OK;
      if (status == DW_DLV_OK && low - function->address >= function->size) {
        function->address = low;
        function->size = 0;
      }
    }
  } else if (status == DW_DLV_NO_ENTRY) {
    status = of_entry_range(reader, die, function, error);
  }
  if (status != DW_DLV_OK) return status;
  function->name = of_function_name(reader, die);
  if (!function->name) {
    reader->unnamed_functions++;
    return DW_DLV_NO_ENTRY;
  }
  function->name_size = strlen(function->name);
  function->unit = reader->unit_count;
  function->unit_name = reader->unit_name;
  function->unit_name_size = reader->unit_name_size;
  function->producer = reader->unit_producer;
  function->producer_size = reader->unit_producer_size;
  function->unit_pieces = reader->unit_pieces;
  return DW_DLV_OK;
}
