/* The mappings of a process, from /proc/PID/maps. <proc_pid_maps(5)> */
#ifndef OF_PROCESS_MAPS_H
#define OF_PROCESS_MAPS_H

#include "of_attributes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct of_mapping {
  uint64_t start, end, offset, device, inode;
  uint32_t protection; /* PROT_ of mmap(2) */
  const char *path;    /* ended by a line feed; NULL for memory without a file */
};

/* Parses a LINE, ended by a line feed. A malformed line gives wrong numbers, but nothing is read after the
 * line feed. Any thread, any signal handler. */
OF_INTERNAL void of_parse_mapping(const char *line, struct of_mapping *mapping);

/* Whether the texts at LINE and OTHER are equal up to a line feed or a null. Any thread, any signal handler. */
OF_INTERNAL bool of_is_same_line(const char *line, const char *other);

/* Calls BODY for each complete line in TEXT of SIZE bytes, and returns the number of bytes in these lines. Any thread,
 * any signal handler. */
OF_INTERNAL size_t of_each_mapping_in(const char *text, size_t size,
                                      void (*body)(const struct of_mapping *, void *),
                                      void *context);

#endif
