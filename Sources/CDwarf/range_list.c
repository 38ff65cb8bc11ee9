// Finds the first piece of a function that DWARF 5 describes by a list in .debug_rnglists (DWARF 5, sections
// 2.17.3 and 7.25), or DWARF 3 and 4 by a list in .debug_ranges (DWARF 4, section 2.17.3).
//
// libdwarf is not used for this. It reads a list to its end, although many functions may share the list. In
// .debug_rnglists, version 20210528 also reads beyond the end if an offset is damaged, and uses freed memory
// if a header is. So it never sees that section. It is only used for addresses in .debug_addr.

#include "reader.h"

// The maximum number of base changes at the start of a list; compilers write at most one.
enum { OF_MOST_BASES = 16 };

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

// Unsigned LEB128, at most 64 bits.
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

bool of_first_of_range_list(
    orderfile_dwarf *reader, Dwarf_Die die, bool is_index, uint64_t operand,
    unsigned offset_size, orderfile_dwarf_function *function) {
  of_cursor cursor = {
      .bytes = reader->range_lists.bytes,
      .size = reader->range_lists.size,
      .is_big_endian = reader->is_big_endian,
  };
  unsigned address_size = reader->is_64_bit ? 8 : 4;
  uint64_t base = reader->unit_base;
  cursor.position = of_list_position(reader, &cursor, is_index, operand, offset_size);
  for (int bases = 0; !cursor.has_failed && bases <= OF_MOST_BASES; bases++) {
    uint64_t start = 0, size = 0;
    switch (of_read(&cursor, 1)) {
      case DW_RLE_base_addressx:
        base = of_read_indexed_address(reader, die, &cursor);
        continue;
      case DW_RLE_base_address:
        base = of_read(&cursor, address_size);
        continue;
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
      default:  // the end of the list, or an unknown kind
        return false;
    }
    function->address = start;
    function->size = size;
    return !cursor.has_failed;
  }
  return false;
}

bool of_first_of_ranges(
    orderfile_dwarf *reader, uint64_t offset, orderfile_dwarf_function *function) {
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
  for (int bases = 0; bases <= OF_MOST_BASES; bases++) {
    uint64_t start = of_read(&cursor, address_size), end = of_read(&cursor, address_size);
    if (cursor.has_failed || (start == 0 && end == 0)) return false;
    if (start == base_mark) {
      base = end;
      continue;
    }
    function->address = base + start;
    function->size = end > start ? end - start : 0;
    return true;
  }
  return false;
}
