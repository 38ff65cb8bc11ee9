// zlib, for sections compressed with ELFCOMPRESS_ZLIB, the checksum of debug files, and the data of reports.
// <https://zlib.net/manual.html>

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

/// Inflates `input` into `output`. `*output_size` is the size of `output`, and afterwards the number of bytes written.
/// Callable from any thread; neither buffer is kept.
///
/// Returns `Z_OK`; `Z_BUF_ERROR` if there is too little room, or if the stream is cut off; another of zlib's codes if
/// the stream is damaged.
static inline int orderfile_inflate_into(
    void *output, unsigned long *output_size, const void *input, unsigned long input_size) {
  return uncompress((Bytef *)output, output_size, (const Bytef *)input, input_size);
}

/// The bytes that `orderfile_deflate` needs at most for `input_size` bytes.
static inline unsigned long orderfile_deflate_bound(unsigned long input_size) {
  return compressBound(input_size);
}

/// Deflates `input` as far as zlib can. `*output_size` is the size of `output`, and afterwards the number of bytes
/// written. Callable from any thread; neither buffer is kept. Returns `Z_OK`; another of zlib's codes if the room or
/// memory is short.
static inline int orderfile_deflate(
    void *output, unsigned long *output_size, const void *input, unsigned long input_size) {
  return compress2((Bytef *)output, output_size, (const Bytef *)input, input_size, 9);
}

/// CRC-32 of `input`. Callable from any thread.
static inline unsigned long orderfile_crc32(const void *input, unsigned long input_size) {
  return crc32_z(crc32_z(0, Z_NULL, 0), (const Bytef *)input, input_size);
}

#endif
