/* The payload: which functions of each image ran in one launch, in few bytes, for launches on devices of testers and
 * customers. The recorder (C) writes it, and the reader (Swift) reads it.
 *
 * A payload has no names, paths, arguments and times of day. A function is the number of its guard. The reader needs
 * the recorded image to find the function, and compares the hash of the image's table of guards first.
 *
 *   offset 0              orderfile_field_payload
 *   40                    table_count times: orderfile_field_table, the ID of the image, the code of its functions
 *
 * All integers are little-endian, and nothing is aligned. Payloads may be stored one after the other in one file.
 *
 * The code of the functions of an image is a sequence of bits, the highest bit of a byte first. Each function that ran
 * has, ascending by number:
 *
 *   - the gap: the number of functions that did not run since the function that ran before. The gap of the first
 *     function counts all functions before it. It is a Rice code with the `parameter` k of the table: q bits of 0 and a
 *     bit of 1, where q is the gap divided by 2^k, rounded down; then the remainder in k bits;
 *   - two bits: the quarter of the launch, from 0, in which the function ran first. The first quarter has the first
 *     quarter of all functions that ran, in all images.
 *
 * The bits that remain in the last byte are 0. Rice codes: Rice and Plaunt, Adaptive Variable-Length Coding for
 * Efficient Compression of Spacecraft Television Data, IEEE Transactions on Communication Technology, 1971.
 */
#ifndef ORDERFILE_PAYLOAD_FORMAT_H
#define ORDERFILE_PAYLOAD_FORMAT_H

#include <stdint.h>

/* "\x89OFFIELD": the first byte is not ASCII, so no text file begins like this. */
#define ORDERFILE_FIELD_MAGIC_BYTES { 0x89, 'O', 'F', 'F', 'I', 'E', 'L', 'D' }
#define ORDERFILE_FIELD_VERSION 1u
#define ORDERFILE_FIELD_USUAL_SIZE 2048u    /* bytes that a payload has at most, unless the program allows more */
#define ORDERFILE_FIELD_LARGEST_SIZE 65536u /* bytes */
#define ORDERFILE_FIELD_LARGEST_PARAMETER 15u

/* orderfile_field_table.flags */
#define ORDERFILE_FIELD_PROGRAM 1u /* the image is the program of the process */

typedef struct orderfile_field_payload {
  uint8_t magic[8];
  uint16_t version;
  uint16_t table_count;
  uint16_t omitted_tables; /* images of which functions ran, without a table: no room, or no pc-table */
  uint8_t end;             /* ORDERFILE_STATE_, which says how the launch ended */
  uint8_t memory_class;    /* the binary logarithm of the machine's memory in bytes, rounded down; 0 unknown */
  uint32_t size;           /* bytes of the whole payload */
  uint32_t machine;        /* ELF e_machine, on Darwin too */
  uint32_t reserved;
  uint32_t checksum; /* the low half of FNV-1a, 64 bits, of the payload with 0 here */
  uint64_t token;    /* a random number that the device keeps for one day; 0 without one */
} orderfile_field_payload;

/* id_size bytes of ID and code_size bytes of code follow. */
typedef struct orderfile_field_table {
  /* FNV-1a, 64 bits, of the stated addresses of all functions that have guards: 8 bytes each, by guard. */
  uint64_t hash;
  uint32_t guards;    /* the number of guards of the image */
  uint32_t functions; /* the number of functions that ran */
  uint16_t code_size; /* bytes */
  uint8_t id_kind;    /* ORDERFILE_ID_ */
  uint8_t id_size;    /* bytes */
  uint8_t parameter;  /* of the Rice code: 0 to ORDERFILE_FIELD_LARGEST_PARAMETER */
  uint8_t flags;
  uint16_t reserved;
} orderfile_field_table;

#ifndef __cplusplus
_Static_assert(sizeof(orderfile_field_payload) == 40, "the layout changed: raise ORDERFILE_FIELD_VERSION");
_Static_assert(sizeof(orderfile_field_table) == 24, "the layout changed: raise ORDERFILE_FIELD_VERSION");
#endif

#endif
