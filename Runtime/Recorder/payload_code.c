#include "payload_code.h"

#include <of_bytes.h>
#include <orderfile_payload_format.h>

OF_INTERNAL void of_measure_functions(const uint8_t *quarters, uint32_t guards, of_function_code *code) {
  /* For each parameter, the sum of the parts of codes that are written as 0 bits. */
  OF_RAW uint64_t sums[ORDERFILE_FIELD_LARGEST_PARAMETER + 1];
  for (uint32_t k = 0; k <= ORDERFILE_FIELD_LARGEST_PARAMETER; k++) {
    sums[k] = 0;
    OF_KEEP_LOOP();
  }
  uint32_t gap = 0;
  code->functions = 0;
  for (uint32_t i = 0; i < guards; i++) {
    if (!quarters[i]) {
      gap++;
      continue;
    }
    for (uint32_t k = 0; k <= ORDERFILE_FIELD_LARGEST_PARAMETER; k++) sums[k] += gap >> k;
    code->functions++;
    gap = 0;
  }
  uint64_t least = UINT64_MAX;
  for (uint32_t k = 0; k <= ORDERFILE_FIELD_LARGEST_PARAMETER; k++) {
    uint64_t bits = sums[k] + (uint64_t)code->functions * (1 + k + 2);
    if (bits >= least) continue;
    least = bits;
    code->parameter = (uint8_t)k;
  }
  uint64_t size = (least + 7) / 8;
  code->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

typedef struct of_bit_writer {
  uint8_t *bytes;
  uint64_t at, end; /* in bits */
} of_bit_writer;

/* Appends the COUNT lowest bits of VALUE, the highest first. Bits that find no room are dropped. */
OF_LOCAL void of_put_bits(of_bit_writer *writer, uint32_t value, uint32_t count) {
  while (count-- > 0) {
    if (writer->at >= writer->end) return;
    if (value >> count & 1) writer->bytes[writer->at / 8] |= (uint8_t)(0x80u >> writer->at % 8);
    writer->at++;
  }
}

OF_INTERNAL void of_encode_functions(const uint8_t *quarters, uint32_t guards,
                                     const of_function_code *code, uint8_t *bytes) {
  for (uint32_t i = 0; i < code->size; i++) {
    bytes[i] = 0;
    OF_KEEP_LOOP();
  }
  OF_RAW of_bit_writer writer;
  writer.bytes = bytes;
  writer.at = 0;
  writer.end = (uint64_t)code->size * 8;
  uint32_t gap = 0;
  for (uint32_t i = 0; i < guards; i++) {
    if (!quarters[i]) {
      gap++;
      continue;
    }
    for (uint32_t zeros = gap >> code->parameter; zeros > 0; zeros--) of_put_bits(&writer, 0, 1);
    of_put_bits(&writer, 1, 1);
    of_put_bits(&writer, gap, code->parameter);
    of_put_bits(&writer, (uint32_t)quarters[i] - 1, 2);
    gap = 0;
  }
}
