// Function names and addresses out of DWARF, by libdwarf, from sections that the caller hands over:
// libdwarf opens no file, and a section may have been unpacked by the caller.
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
  /// The symbol's name: the linkage name or, in a language without, the name. Not NULL; it lives until
  /// the reader is closed. A clone has its original's name, without `.isra.0` and the like.
  const char *name;
  /// In bytes, without the terminating zero.
  size_t name_size;
  /// The first address, as the image states it. Where a linker discarded the function: whatever it
  /// left there, often 0 or all ones.
  uint64_t address;
  /// In bytes, of the part that begins at `address`; 0 if the compiler did not say.
  uint64_t size;
  /// The compilation unit that it stands in, from 1, and that unit's name, mostly a source file; NULL if it has
  /// none. The name lives until the reader is closed; its size is without the terminating zero.
  uint64_t unit;
  const char *unit_name;
  size_t unit_name_size;
} orderfile_dwarf_function;

/// Makes a reader without sections. `is_64_bit` and `is_big_endian` describe the image, not this machine.
/// Returns NULL without memory. The caller closes it.
orderfile_dwarf *orderfile_dwarf_new(bool is_64_bit, bool is_big_endian);

/// Adds the section called `name` (".debug_info"), which is copied, unlike `bytes`: they must stay until
/// the reader is closed. Returns false if there are too many sections or the name is too long.
bool orderfile_dwarf_add(
    orderfile_dwarf *reader, const char *name, const void *bytes, uint64_t size);

/// Lets libdwarf look at the sections. Returns false if it can't make sense of them; then `message` of
/// `message_size` bytes holds libdwarf's words, cut if need be.
bool orderfile_dwarf_load(orderfile_dwarf *reader, char *message, size_t message_size);

/// Stores the next function that has an address and a name in `function`. Returns false at the end.
bool orderfile_dwarf_next(orderfile_dwarf *reader, orderfile_dwarf_function *function);

/// Whether there are more names or abbreviations than sections of that size have: then what comes behind
/// them was not read.
bool orderfile_dwarf_is_spent(const orderfile_dwarf *reader);

/// How many compilation units were left before their end, because they are damaged.
uint64_t orderfile_dwarf_damaged_units(const orderfile_dwarf *reader);

/// How many compilation units have their functions in a `.dwo` file.
uint64_t orderfile_dwarf_skeleton_units(const orderfile_dwarf *reader);

/// How many functions have an address and no name that a linker would know.
uint64_t orderfile_dwarf_unnamed_functions(const orderfile_dwarf *reader);

/// Frees the reader and with it all names; `reader` may be NULL.
void orderfile_dwarf_close(orderfile_dwarf *reader);

#endif
