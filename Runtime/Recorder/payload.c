#include "payload.h"

#include <of_bytes.h>
#include <orderfile_payload_format.h>

#include "guards.h"
#include "payload_code.h"
#include "platform.h"
#include "slots.h"

#define OF_LARGEST_ID 64u /* bytes; image_table.c cuts longer IDs off, too */

/* An image of the payload: a registration that is loaded. */
typedef struct of_payload_image {
  const of_registration *registration;
  uint8_t *quarters; /* a byte for each guard, in the form that of_measure_functions takes */
} of_payload_image;

/* A payload that is being made. */
typedef struct of_payload_writer {
  orderfile_trace_header *trace;
  uint64_t slots; /* the number of used slots of the trace */
  of_payload_image *images; /* ascending by their guards, which do not overlap */
  uint64_t count;           /* the number of images */
  uint8_t *buffer;
  uint64_t size, used; /* bytes */
  uint16_t tables, omitted;
} of_payload_writer;

/* The number of hits in the first COUNT slots of TRACE. */
OF_LOCAL uint64_t of_hit_count(orderfile_trace_header *trace, uint64_t count) {
  uint64_t hits = 0;
  for (uint64_t i = 0; i < count; i++) /* acquire: pairs with the release in of_fill_function */
    hits += of_load_acquire(&of_records(trace)[i].kind) == ORDERFILE_RECORD_FUNCTION;
  return hits;
}

OF_LOCAL uint64_t of_guard_count(const of_registration *registration) {
  return (uint64_t)(registration->guards_end - registration->guards);
}

/* Whether REGISTRATION can have a table. With the lock held. */
OF_LOCAL bool of_is_in_payload(const of_registration *registration) {
  return of_load_relaxed(&registration->is_loaded) && /* relaxed: locked */
         of_guard_count(registration) <= UINT32_MAX;
}

/* The size of the memory for the images and their quarters. */
OF_LOCAL uint64_t of_payload_memory(void) {
  uint64_t size = 0;
  for (uint64_t i = 0; i < of_registration_count(); i++)
    if (of_is_in_payload(of_registration_at(i)))
      size += sizeof(of_payload_image) + of_guard_count(of_registration_at(i));
  return size;
}

/* Lists the images in MEMORY, which is of_payload_memory() zero bytes. */
OF_LOCAL void of_list_images(of_payload_writer *writer, void *memory) {
  writer->images = memory;
  writer->count = 0;
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    const of_registration *registration = of_registration_at(i);
    if (!of_is_in_payload(registration)) continue;
    uint64_t place = writer->count++;
    /* The loader maps most images below or above all others, so few images are moved. */
    for (; place > 0 && writer->images[place - 1].registration->guards > registration->guards; place--)
      writer->images[place].registration = writer->images[place - 1].registration;
    writer->images[place].registration = registration;
  }
  uint8_t *quarters = (uint8_t *)(writer->images + writer->count);
  for (uint64_t i = 0; i < writer->count; i++) {
    writer->images[i].quarters = quarters;
    quarters += of_guard_count(writer->images[i].registration);
  }
}

/* The image with GUARD, or NULL. */
OF_LOCAL const of_payload_image *of_image_of_guard(const of_payload_writer *writer, const uint32_t *guard) {
  uint64_t low = 0, high = writer->count; /* the image is one of LOW to HIGH - 1 */
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    const of_payload_image *image = &writer->images[middle];
    if (guard < image->registration->guards) high = middle;
    else if (guard >= image->registration->guards_end) low = middle + 1;
    else return image;
  }
  return NULL;
}

/* Stores for each image the quarters of the launch in which its functions ran first. */
OF_LOCAL void of_find_quarters(const of_payload_writer *writer) {
  uint64_t position = 0, hits = of_hit_count(writer->trace, writer->slots);
  for (uint64_t i = 0; i < writer->slots; i++) {
    const orderfile_record *record = &of_records(writer->trace)[i];
    /* acquire: pairs with the release in of_fill_function (recorder.c) */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) continue;
    uint64_t quarter = position < hits ? position * OF_QUARTERS / hits : OF_QUARTERS - 1;
    position++;
    const uint32_t *guard = (const uint32_t *)record->subject;
    const of_payload_image *image = of_image_of_guard(writer, guard);
    if (!image || i < image->registration->first_slot) continue;
    uint8_t *place = &image->quarters[guard - image->registration->guards];
    if (!*place) *place = (uint8_t)(1 + quarter);
  }
}

/* Reads the load record of REGISTRATION into IMAGE and ID. ID has room for OF_LARGEST_ID bytes. Returns false if there
 * is no load record, or if the image's ID is longer. */
OF_LOCAL bool of_read_load_record(const of_payload_writer *writer, const of_registration *registration,
                                  orderfile_trace_image *image, uint8_t *id) {
  uint64_t slot = registration->load_slot;
  if (slot >= writer->slots) return false;
  const orderfile_record *record = &of_records(writer->trace)[slot];
  /* acquire: pairs with the release in of_fill_record */
  if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_LOAD) return false;
  const orderfile_content *parts = (const orderfile_content *)(record + 1);
  for (uint64_t i = 0; i < sizeof *image + OF_LARGEST_ID && i < record->content_size; i++) {
    uint8_t byte = parts[i / ORDERFILE_CONTENT_BYTES].bytes[i % ORDERFILE_CONTENT_BYTES];
    if (i < sizeof *image) ((uint8_t *)image)[i] = byte;
    else id[i - sizeof *image] = byte;
    OF_KEEP_LOOP();
  }
  return image->id_size <= OF_LARGEST_ID;
}

/* The hash of the functions of REGISTRATION, whose image is loaded SLIDE bytes after its stated address. */
OF_LOCAL uint64_t of_table_hash(const of_registration *registration, uint64_t slide) {
  uint64_t hash = OF_FNV1A_START;
  for (const uint32_t *guard = registration->guards; guard < registration->guards_end; guard++) {
    uint64_t stated = of_entry_in(registration, guard) - slide;
    hash = of_fnv1a_from(hash, &stated, sizeof stated);
  }
  return hash;
}

/* Appends the table of FROM, whose functions have CODE. Returns false if the table can't be written. */
OF_LOCAL bool of_append_table(of_payload_writer *writer, const of_payload_image *from,
                              const of_function_code *code) {
  const of_registration *registration = from->registration;
  uint32_t guards = (uint32_t)of_guard_count(registration);
  static orderfile_trace_image image; /* static because large; the lock guards it */
  static uint8_t id[OF_LARGEST_ID];
  if (!of_load_acquire(&registration->entries)) return false; /* acquire: pairs with of_provide_entries */
  if (!of_read_load_record(writer, registration, &image, id) || code->size > UINT16_MAX) return false;
  OF_RAW orderfile_field_table table;
  if (writer->size - writer->used < sizeof table + image.id_size + code->size) return false;
  table.hash = of_table_hash(registration, image.slide);
  table.guards = guards;
  table.functions = code->functions;
  table.code_size = (uint16_t)code->size;
  table.id_kind = (uint8_t)image.id_kind;
  table.id_size = (uint8_t)image.id_size;
  table.parameter = code->parameter;
  table.flags = registration->is_program ? ORDERFILE_FIELD_PROGRAM : 0;
  table.reserved = 0;
  of_copy(writer->buffer + writer->used, &table, sizeof table);
  of_copy(writer->buffer + writer->used + sizeof table, id, image.id_size);
  writer->used += sizeof table + image.id_size;
  of_encode_functions(from->quarters, guards, code, writer->buffer + writer->used);
  writer->used += code->size;
  return true;
}

/* Adds the images whose functions ran, in the order of their registration: only the program if ARE_PROGRAM is true,
 * otherwise only the other images. */
OF_LOCAL void of_add_images(of_payload_writer *writer, bool are_program) {
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    const of_registration *registration = of_registration_at(i);
    if (!of_is_in_payload(registration) || registration->is_program != are_program) continue;
    const of_payload_image *image = of_image_of_guard(writer, registration->guards);
    if (!image) continue;
    OF_RAW of_function_code code;
    of_measure_functions(image->quarters, (uint32_t)of_guard_count(registration), &code);
    if (!code.functions || writer->tables == UINT16_MAX || writer->omitted == UINT16_MAX) continue;
    bool is_written = of_append_table(writer, image, &code);
    writer->tables += is_written;
    writer->omitted += !is_written;
  }
}

OF_LOCAL void of_finish_payload(of_payload_writer *writer, uint64_t token) {
  static const uint8_t magic[8] = ORDERFILE_FIELD_MAGIC_BYTES;
  OF_RAW orderfile_field_payload payload;
  of_copy(payload.magic, magic, sizeof magic);
  payload.version = ORDERFILE_FIELD_VERSION;
  payload.table_count = writer->tables;
  payload.omitted_tables = writer->omitted;
  payload.end = (uint8_t)of_load_relaxed(&writer->trace->state); /* relaxed: a flag */
  payload.memory_class = of_memory_class();
  payload.size = (uint32_t)writer->used;
  payload.machine = writer->trace->machine;
  payload.reserved = 0;
  payload.checksum = 0;
  payload.token = token;
  of_copy(writer->buffer, &payload, sizeof payload);
  payload.checksum = (uint32_t)of_fnv1a(writer->buffer, writer->used);
  of_copy(writer->buffer, &payload, sizeof payload);
}

OF_INTERNAL uint64_t of_make_payload(orderfile_trace_header *trace, uint64_t token, uint8_t *buffer,
                                     uint64_t size) {
  if (size < sizeof(orderfile_field_payload) || trace->flags & ORDERFILE_TRACE_FORKED) return 0;
  if (!of_try_lock_registration()) return 0;
  uint64_t memory_size = of_payload_memory();
  void *memory = memory_size ? of_map_memory(memory_size) : NULL;
  OF_RAW of_payload_writer writer;
  writer.tables = writer.omitted = 0;
  if (memory) {
    writer.trace = trace;
    writer.slots = of_used_slots(trace, of_recorder.record_limit);
    writer.buffer = buffer;
    writer.size = size < ORDERFILE_FIELD_LARGEST_SIZE ? size : ORDERFILE_FIELD_LARGEST_SIZE;
    writer.used = sizeof(orderfile_field_payload);
    of_list_images(&writer, memory);
    of_find_quarters(&writer);
    of_add_images(&writer, true);
    of_add_images(&writer, false);
    if (writer.tables) of_finish_payload(&writer, token);
    of_unmap(memory, memory_size);
  }
  of_unlock_registration();
  return writer.tables ? writer.used : 0;
}
