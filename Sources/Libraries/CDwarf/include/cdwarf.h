// Reads function names and addresses from DWARF with libdwarf, from sections that the caller passes: libdwarf
// opens no file, and the caller may have decompressed a section.
//
// One reader belongs to one thread at a time. The order of calls is new, add, load, next until it
// returns false, close.

#ifndef ORDERFILE_CDWARF_H
#define ORDERFILE_CDWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct orderfile_dwarf orderfile_dwarf;

/// One piece of code with a name.
typedef struct {
  /// The symbol: the linkage name or, in a language without linkage names, the name. Not NULL; valid until
  /// the reader is closed. A clone has its original's name, without `.isra.0` and the like.
  const char *name;
  /// The size of the name in bytes, without the terminating zero.
  size_t name_size;
  /// The first address, as the image states it. For a discarded function, whatever the linker left there,
  /// often 0 or all ones.
  uint64_t address;
  /// The size in bytes of the part that begins at `address`; 0 if unknown.
  uint64_t size;
  /// Another piece of a function in several pieces, which may be the one with the entry; size 0 if there is none.
  uint64_t other_address;
  uint64_t other_size;
  /// The number of the function's compilation unit, from 1, and the unit's name, usually a source file; NULL if it has
  /// none. The name lives until the reader is closed; its size is without the terminating zero.
  uint64_t unit;
  const char *unit_name;
  size_t unit_name_size;
  /// The compiler of the unit, with its options if the compiler states them. NULL and valid under the same conditions
  /// as `unit_name`.
  const char *producer;
  size_t producer_size;
  /// The number of pieces of code that the unit states, without discarded pieces. The compiler states one piece for
  /// each section. 0 if the unit states no piece, or if the list is damaged.
  uint64_t unit_pieces;
} orderfile_dwarf_function;

/// Creates a reader without sections. `is_64_bit` and `is_big_endian` describe the image, not this machine.
/// Returns NULL if there is no memory. The caller must close it.
orderfile_dwarf *orderfile_dwarf_new(bool is_64_bit, bool is_big_endian);

/// Adds the section called `name` (".debug_info"). The name is copied; `bytes` are not, and must stay valid
/// until the reader is closed. Returns false if there are too many sections or the name is too long.
bool orderfile_dwarf_add(
    orderfile_dwarf *reader, const char *name, const void *bytes, uint64_t size);

/// Lets libdwarf read the sections. Returns false if it can't; then `message` of `message_size` bytes
/// contains libdwarf's message, truncated if necessary.
bool orderfile_dwarf_load(orderfile_dwarf *reader, char *message, size_t message_size);

/// Stores the next function that has an address and a name in `function`. Returns false at the end.
bool orderfile_dwarf_next(orderfile_dwarf *reader, orderfile_dwarf_function *function);

/// Whether there are more names, ranges or abbreviations than plausible for sections of that size; the rest was
/// then not read.
bool orderfile_dwarf_is_spent(const orderfile_dwarf *reader);

/// The number of compilation units that were abandoned because they are damaged.
uint64_t orderfile_dwarf_damaged_units(const orderfile_dwarf *reader);

/// The number of compilation units whose functions are in a `.dwo` file.
uint64_t orderfile_dwarf_skeleton_units(const orderfile_dwarf *reader);

/// The number of functions with an address but no name for the linker.
uint64_t orderfile_dwarf_unnamed_functions(const orderfile_dwarf *reader);

/// Frees the reader and all names; `reader` may be NULL.
void orderfile_dwarf_close(orderfile_dwarf *reader);

#endif
