#include "payload.h"

#include <of_bytes.h>
#include <orderfile_payload_format.h>

#include "guards.h"
#include "payload_code.h"
#include "platform.h"
#include "slots.h"

#define OF_LARGEST_ID 64u /* bytes; image_table.c cuts longer IDs off, too */

/* A payload that is being made. */
typedef struct of_payload_writer {
  orderfile_trace_header *trace;
  uint64_t slots; /* the number of used slots of the trace */
  uint64_t hits;  /* the number of used slots with hits */
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

/* Stores in QUARTERS the quarter in which each function of REGISTRATION ran first, in the form that
 * of_measure_functions takes. All bytes of QUARTERS are 0 before the call. */
OF_LOCAL void of_find_quarters(const of_payload_writer *writer, const of_registration *registration,
                               uint8_t *quarters) {
  uint64_t position = 0;
  for (uint64_t i = 0; i < writer->slots; i++) {
    const orderfile_record *record = &of_records(writer->trace)[i];
    /* acquire: pairs with the release in of_fill_function (recorder.c) */
    if (of_load_acquire(&record->kind) != ORDERFILE_RECORD_FUNCTION) continue;
    uint64_t quarter = position < writer->hits ? position * OF_QUARTERS / writer->hits : OF_QUARTERS - 1;
    position++;
    const uint32_t *guard = (const uint32_t *)record->subject;
    if (i < registration->first_slot || guard < registration->guards || guard >= registration->guards_end)
      continue;
    uint8_t *place = &quarters[guard - registration->guards];
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
  const orderfile_payload *parts = (const orderfile_payload *)(record + 1);
  for (uint64_t i = 0; i < sizeof *image + OF_LARGEST_ID && i < record->payload_size; i++) {
    uint8_t byte = parts[i / ORDERFILE_PAYLOAD_BYTES].bytes[i % ORDERFILE_PAYLOAD_BYTES];
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

/* Appends the table of REGISTRATION. QUARTERS says which functions ran. Returns false if the table can't be written. */
OF_LOCAL bool of_append_table(of_payload_writer *writer, const of_registration *registration,
                              const uint8_t *quarters, uint32_t guards, const of_function_code *code) {
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
  of_encode_functions(quarters, guards, code, writer->buffer + writer->used);
  writer->used += code->size;
  return true;
}

/* Adds the image of REGISTRATION if any of its functions ran. */
OF_LOCAL void of_add_image(of_payload_writer *writer, const of_registration *registration) {
  uint64_t guards = (uint64_t)(registration->guards_end - registration->guards);
  if (guards > UINT32_MAX || writer->tables == UINT16_MAX || writer->omitted == UINT16_MAX) return;
  uint8_t *quarters = of_map_memory(guards);
  if (!quarters) {
    writer->omitted++;
    return;
  }
  OF_RAW of_function_code code;
  of_find_quarters(writer, registration, quarters);
  of_measure_functions(quarters, (uint32_t)guards, &code);
  if (code.functions) {
    bool is_written = of_append_table(writer, registration, quarters, (uint32_t)guards, &code);
    writer->tables += is_written;
    writer->omitted += !is_written;
  }
  of_unmap(quarters, guards);
}

/* Adds images that are still loaded: only the program if ARE_PROGRAM is true, otherwise only the other images. */
OF_LOCAL void of_add_images(of_payload_writer *writer, bool are_program) {
  for (uint64_t i = 0; i < of_registration_count(); i++) {
    const of_registration *registration = of_registration_at(i);
    if (of_load_relaxed(&registration->is_loaded) && registration->is_program == are_program) /* relaxed: locked */
      of_add_image(writer, registration);
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
  OF_RAW of_payload_writer writer;
  writer.trace = trace;
  writer.slots = of_used_slots(trace, of_recorder.record_limit);
  writer.hits = of_hit_count(trace, writer.slots);
  writer.buffer = buffer;
  writer.size = size < ORDERFILE_FIELD_LARGEST_SIZE ? size : ORDERFILE_FIELD_LARGEST_SIZE;
  writer.used = sizeof(orderfile_field_payload);
  writer.tables = writer.omitted = 0;
  of_add_images(&writer, true);
  of_add_images(&writer, false);
  if (writer.tables) of_finish_payload(&writer, token);
  of_unlock_registration();
  return writer.tables ? writer.used : 0;
}
