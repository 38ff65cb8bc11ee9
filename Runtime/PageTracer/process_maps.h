/* What a process has mapped, as /proc/PID/maps tells it. <proc_pid_maps(5)> */
#ifndef OF_PROCESS_MAPS_H
#define OF_PROCESS_MAPS_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct of_mapping {
  uint64_t start, end, offset, device, inode;
  uint32_t protection; /* PROT_ of mmap(2) */
  const char *path;    /* ended by a line feed; NULL of memory without a file */
};

/* Takes one LINE, ended by a line feed, apart. What is not as the kernel writes it gives wrong numbers, and no
 * look behind the line feed. Any thread, any signal handler. */
OF_INTERNAL void of_parse_mapping(const char *line, struct of_mapping *mapping);

/* Whether the text at LINE and the one at OTHER are the same up to a line feed or a null. Likewise. */
OF_INTERNAL bool of_is_same_line(const char *line, const char *other);

/* Calls BODY for each of the lines in TEXT that are whole, and returns how many bytes they are: SIZE is how many
 * there are. Likewise. */
OF_INTERNAL size_t of_each_mapping_in(const char *text, size_t size,
                                      void (*body)(const struct of_mapping *, void *),
                                      void *context);

#endif
