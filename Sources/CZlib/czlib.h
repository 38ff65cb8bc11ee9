// zlib, for sections compressed with ELFCOMPRESS_ZLIB and for the checksum of debug files. <https://zlib.net/manual.html>

#ifndef ORDERFILE_CZLIB_H
#define ORDERFILE_CZLIB_H

#include <zlib.h>

/// Inflates `input` into `output`, which must be filled exactly. Callable from any thread; neither
/// buffer is kept.
///
/// Returns `Z_OK`; another of zlib's codes if the stream is damaged or its size differs.
static inline int orderfile_inflate(
    void *output, unsigned long output_size, const void *input, unsigned long input_size) {
  uLongf filled = output_size;
  int status = uncompress((Bytef *)output, &filled, (const Bytef *)input, input_size);
  return status == Z_OK && filled != output_size ? Z_DATA_ERROR : status;
}

/// CRC-32 of `input`. Callable from any thread.
static inline unsigned long orderfile_crc32(const void *input, unsigned long input_size) {
  return crc32_z(crc32_z(0, Z_NULL, 0), (const Bytef *)input, input_size);
}

#endif
