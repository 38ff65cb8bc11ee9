/* Files that running programs have mapped. */
#ifndef CPROCESS_FILE_H
#define CPROCESS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Replaces the 32-bit number at OFFSET of the file at PATH by DESIRED if the number is EXPECTED. This is one step, also
 * for programs that have mapped the file. OFFSET is a multiple of 4; the number is in this machine's byte order.
 *
 * Returns whether the number was replaced: false also if the file can't be opened and mapped, or is too short. */
bool cprocess_exchange_in_file(const char *path, uint32_t offset, uint32_t expected, uint32_t desired);

/* Creates SIZE bytes of memory, all 0, that other processes can open as /proc/PID/fd/N as long as this process has it
 * open. NAME is only displayed. Returns the descriptor, or -errno: -ENOTSUP if the system has no such memory. */
int cprocess_create_memory(const char *name, uint64_t size);

/* Reads the extended attribute NAME of the file at PATH into BYTES. Returns the size of the attribute, or -errno:
 * -ENOTSUP if the system has no extended attributes. <xattr(7)> */
long cprocess_read_attribute(const char *path, const char *name, void *bytes, size_t size);

#pragma clang assume_nonnull end

#endif
