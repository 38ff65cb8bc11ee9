/* Reads files of /proc about a process. Linux only. */
#ifndef CPROCESS_PROC_H
#define CPROCESS_PROC_H

#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Reads the start of /proc/PID/NAME into TEXT of SIZE bytes, and ends it with a zero byte. Returns TEXT, or
 * NULL if the file cannot be read or is empty. */
const char *_Nullable cprocess_read_proc(pid_t pid, const char *name, char *text, size_t size);

/* Reads /proc/PID/stat into TEXT of SIZE bytes, as cprocess_read_proc does. Returns what follows the program's name,
 * which may contain blanks and parentheses: field 3 comes first. <proc_pid_stat(5)> */
const char *_Nullable cprocess_read_stat(pid_t pid, char *text, size_t size);

#pragma clang assume_nonnull end

#endif
