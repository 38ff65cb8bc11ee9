// Provides libdwarf with the sections of a reader. Version 0.1.0 of libdwarf renamed the interface and introduced
// DW_LIBDWARF_VERSION.

#include <stdlib.h>
#include <string.h>

#include "reader.h"

#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a of_interface;
typedef Dwarf_Obj_Access_Methods_a of_methods;
typedef Dwarf_Obj_Access_Section_a of_section_description;
typedef Dwarf_Unsigned of_section_number;
typedef Dwarf_Small of_byte_order;
#define OF_SECTION(field) as_##field
#define OF_METHOD(field) om_##field
#define OF_LITTLE DW_END_little
#define OF_BIG DW_END_big
#else
typedef Dwarf_Obj_Access_Interface of_interface;
typedef Dwarf_Obj_Access_Methods of_methods;
typedef Dwarf_Obj_Access_Section of_section_description;
typedef Dwarf_Half of_section_number;
typedef Dwarf_Endianness of_byte_order;
#define OF_SECTION(field) field
#define OF_METHOD(field) field
#define OF_LITTLE DW_OBJECT_LSB
#define OF_BIG DW_OBJECT_MSB
#endif

static int of_describe_section(
    void *object, of_section_number number, of_section_description *description, int *error) {
  const orderfile_dwarf *reader = object;
  (void)error;
  if (number >= reader->section_count) return DW_DLV_NO_ENTRY;
  memset(description, 0, sizeof *description);
  description->OF_SECTION(name) = reader->sections[number].name;
  description->OF_SECTION(type) = number == 0 ? 0 : 1;  // SHT_NULL, SHT_PROGBITS
  description->OF_SECTION(size) = reader->sections[number].size;
  return DW_DLV_OK;
}

static int of_load_section(
    void *object, of_section_number number, Dwarf_Small **bytes, int *error) {
  const orderfile_dwarf *reader = object;
  (void)error;
  if (number >= reader->section_count) return DW_DLV_NO_ENTRY;
  *bytes = (Dwarf_Small *)(uintptr_t)reader->sections[number].bytes;  // libdwarf only reads
  return DW_DLV_OK;
}

static of_byte_order of_get_byte_order(void *object) {
  return ((const orderfile_dwarf *)object)->is_big_endian ? OF_BIG : OF_LITTLE;
}

static Dwarf_Small of_get_word_size(void *object) {
  return ((const orderfile_dwarf *)object)->is_64_bit ? 8 : 4;
}

static Dwarf_Unsigned of_get_section_count(void *object) {
  return ((const orderfile_dwarf *)object)->section_count;
}

#ifdef DW_LIBDWARF_VERSION
// Returns the sum of the sections' sizes in place of a file's size; libdwarf uses it for plausibility checks.
static Dwarf_Unsigned of_get_file_size(void *object) {
  const orderfile_dwarf *reader = object;
  Dwarf_Unsigned sum = 0;
  for (unsigned i = 0; i < reader->section_count; i++) sum += reader->sections[i].size;
  return sum;
}
#endif

static const of_methods of_provider = {
    .OF_METHOD(get_section_info) = of_describe_section,
    .OF_METHOD(get_byte_order) = of_get_byte_order,
    .OF_METHOD(get_length_size) = of_get_word_size,
    .OF_METHOD(get_pointer_size) = of_get_word_size,
    .OF_METHOD(get_section_count) = of_get_section_count,
    .OF_METHOD(load_section) = of_load_section,
#ifdef DW_LIBDWARF_VERSION
    .OF_METHOD(get_filesize) = of_get_file_size,
#endif
};

int of_open_sections(orderfile_dwarf *reader, Dwarf_Error *error) {
  of_interface *interface = malloc(sizeof *interface);  // libdwarf keeps a pointer to the interface
  if (!interface) return DW_DLV_NO_ENTRY;
#ifdef DW_LIBDWARF_VERSION
  *interface = (of_interface){.ai_object = reader, .ai_methods = &of_provider};
#else
  *interface = (of_interface){.object = reader, .methods = &of_provider};
#endif
  reader->interface = interface;
  return dwarf_object_init_b(interface, NULL, NULL, DW_GROUPNUMBER_ANY, &reader->debug, error);
}

void of_close_sections(orderfile_dwarf *reader) {
  if (reader->debug) {
#ifdef DW_LIBDWARF_VERSION
    dwarf_object_finish(reader->debug);
#else
    dwarf_object_finish(reader->debug, NULL);
#endif
  }
  reader->debug = NULL;
  free(reader->interface);
  reader->interface = NULL;
}
