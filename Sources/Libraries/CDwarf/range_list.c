// Finds the piece with the entry of a function that DWARF 5 describes by a list in .debug_rnglists (DWARF 5, sections
// 2.17.3 and 7.25), or DWARF 3 and 4 by a list in .debug_ranges (DWARF 4, section 2.17.3).
//
// The entry is in the piece that holds DW_AT_entry_pc or DW_AT_low_pc, else at the start of the first piece (DWARF 5,
// section 2.18). clang before 20 lists the piece with the entry last, because it ends the entry's section after all
// others (AsmPrinter::emitFunctionBody), and does not state the entry's address. So both ends of the list are returned:
// a caller that knows the symbols can decide.
//
// libdwarf is not used for this. It does not notice that many functions share a long list. In .debug_rnglists, version
// 20210528 also reads beyond the end if an offset is damaged, and uses freed memory if a header is damaged. So libdwarf
// never sees that section. It is only used for addresses in .debug_addr.

#include "reader.h"

// A position in the section that cannot leave it: after a failed read, all further reads fail.
typedef struct {
  const uint8_t *bytes;
  uint64_t size, position;
  bool is_big_endian, has_failed;
} of_cursor;

static uint64_t of_read(of_cursor *cursor, unsigned size) {
  if (cursor->has_failed || cursor->position > cursor->size
      || cursor->size - cursor->position < size) {
    cursor->has_failed = true;
    return 0;
  }
  const uint8_t *bytes = cursor->bytes + cursor->position;
  cursor->position += size;
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value = value << 8 | bytes[cursor->is_big_endian ? i : size - 1 - i];
  return value;
}

// Reads an unsigned LEB128 number of at most 64 bits.
static uint64_t of_read_uleb(of_cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t byte = of_read(cursor, 1);
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  cursor->has_failed = true;
  return 0;
}

// Reads the index of an address, and looks up the address.
static uint64_t of_read_indexed_address(
    orderfile_dwarf *reader, Dwarf_Die die, of_cursor *cursor) {
  Dwarf_Error error = NULL;
  Dwarf_Addr address = 0;
  uint64_t index = of_read_uleb(cursor);
  if (cursor->has_failed
      || dwarf_debug_addr_index_to_addr(die, index, &address, &error) != DW_DLV_OK)
    cursor->has_failed = true;
  of_drop_error(reader, &error);
  return address;
}

// The start of the list that `operand` refers to: the operand itself, or the unit's offset at that index.
static uint64_t of_list_position(
    orderfile_dwarf *reader, of_cursor *cursor, bool is_index, uint64_t operand,
    unsigned offset_size) {
  if (!is_index) return operand;
  uint64_t base = reader->unit_range_lists;
  bool is_size = offset_size == 4 || offset_size == 8;
  if (!is_size || base == 0 || base > cursor->size || operand > (cursor->size - base) / offset_size) {
    cursor->has_failed = true;
    return 0;
  }
  cursor->position = base + operand * offset_size;
  uint64_t offset = of_read(cursor, offset_size);
  if (offset > cursor->size - base) cursor->has_failed = true;
  return base + offset;
}

// Counts the bytes that were read of all lists. Functions may share a list, and each function reads it up to the
// entry's piece. Returns false if the count is implausible for sections of this size.
static bool of_charge(orderfile_dwarf *reader, uint64_t size) {
  reader->range_size += size;
  if (reader->range_size > 16 * reader->byte_count + (1 << 20)) reader->is_spent = true;
  return !reader->is_spent;
}

// Stores a piece in `function` if it may have the entry. Returns whether the piece is known to have the entry.
static bool of_take_piece(
    const of_entry *entry, uint64_t start, uint64_t size, bool *has_piece,
    orderfile_dwarf_function *function) {
  // Linkers write 0, 1 or one of the two greatest numbers as the address of a function that they discarded.
  if (entry->piece_count && size > 0 && start > 1 && start < UINT64_MAX - 1) ++*entry->piece_count;
  bool is_it = entry->is_known && start <= entry->address && entry->address - start < size;
  if (is_it || !*has_piece) {
    function->address = start;
    function->size = size;
  } else if (!entry->is_known && size > 0) {
    function->other_address = start;
    function->other_size = size;
  }
  *has_piece = true;
  return is_it;
}

// Puts the last piece in place of the first if it is the one with the entry.
static void of_order_pieces(const of_entry *entry, orderfile_dwarf_function *function) {
  if (!entry->is_last || function->other_size == 0) return;
  uint64_t address = function->address, size = function->size;
  function->address = function->other_address;
  function->size = function->other_size;
  function->other_address = address;
  function->other_size = size;
}

bool of_entry_of_range_list(
    orderfile_dwarf *reader, Dwarf_Die die, bool is_index, uint64_t operand,
    unsigned offset_size, const of_entry *entry, orderfile_dwarf_function *function) {
  bool has_piece = false;
  of_cursor cursor = {
      .bytes = reader->range_lists.bytes,
      .size = reader->range_lists.size,
      .is_big_endian = reader->is_big_endian,
  };
  unsigned address_size = reader->is_64_bit ? 8 : 4;
  uint64_t base = reader->unit_base;
  cursor.position = of_list_position(reader, &cursor, is_index, operand, offset_size);
  for (;;) {
    uint64_t start = 0, size = 0, begin = cursor.position;
    bool is_piece = true;
    if (cursor.has_failed) return false;
    switch (of_read(&cursor, 1)) {
      case DW_RLE_base_addressx:
        base = of_read_indexed_address(reader, die, &cursor);
        is_piece = false;
        break;
      case DW_RLE_base_address:
        base = of_read(&cursor, address_size);
        is_piece = false;
        break;
      case DW_RLE_startx_endx:
        start = of_read_indexed_address(reader, die, &cursor);
        size = of_read_indexed_address(reader, die, &cursor) - start;
        break;
      case DW_RLE_startx_length:
        start = of_read_indexed_address(reader, die, &cursor);
        size = of_read_uleb(&cursor);
        break;
      case DW_RLE_offset_pair:
        start = of_read_uleb(&cursor);
        size = of_read_uleb(&cursor) - start;
        start += base;
        break;
      case DW_RLE_start_end:
        start = of_read(&cursor, address_size);
        size = of_read(&cursor, address_size) - start;
        break;
      case DW_RLE_start_length:
        start = of_read(&cursor, address_size);
        size = of_read_uleb(&cursor);
        break;
      case DW_RLE_end_of_list:
        of_order_pieces(entry, function);
        return has_piece && !cursor.has_failed;
      default:
        return false;
    }
    if (cursor.has_failed || !of_charge(reader, cursor.position - begin)) return false;
    if (is_piece && of_take_piece(entry, start, size, &has_piece, function)) return true;
  }
}

bool of_entry_of_ranges(
    orderfile_dwarf *reader, uint64_t offset, const of_entry *entry,
    orderfile_dwarf_function *function) {
  bool has_piece = false;
  const of_section *section = of_find_section(reader, ".debug_ranges");
  if (!section) return false;
  of_cursor cursor = {
      .bytes = section->bytes,
      .size = section->size,
      .position = offset,
      .is_big_endian = reader->is_big_endian,
  };
  unsigned address_size = reader->is_64_bit ? 8 : 4;
  uint64_t base_mark = reader->is_64_bit ? UINT64_MAX : UINT32_MAX;
  uint64_t base = reader->unit_base;
  for (;;) {
    uint64_t start = of_read(&cursor, address_size), end = of_read(&cursor, address_size);
    if (cursor.has_failed || !of_charge(reader, 2 * address_size)) return false;
    if (start == 0 && end == 0) break;
    if (start == base_mark)
      base = end;
    else if (of_take_piece(entry, base + start, end > start ? end - start : 0, &has_piece, function))
      return true;
  }
  of_order_pieces(entry, function);
  return has_piece;
}
