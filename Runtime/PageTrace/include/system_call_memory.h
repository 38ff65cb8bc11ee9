/* system_call_memory.h: the memory of a program that the kernel reads or writes in a system call.
 *
 * The table (system_call_table.c) has a word for each argument of each call of Linux 6.18. system_call_requests.c has
 * the calls whose memory depends on a request, such as ioctl(2), or contains addresses.
 *
 * <syscalls(2)>, the manual page of each, and the prototypes in the kernel (SYSCALL_DEFINE). */
#ifndef ORDERFILE_SYSTEM_CALL_MEMORY_H
#define ORDERFILE_SYSTEM_CALL_MEMORY_H

#include <of_attributes.h>
#include <stdint.h>

#include "system_call_access.h"

/* What is known of the memory that a call uses. */
enum orderfile_call_knowledge {
  ORDERFILE_CALL_KNOWN,   /* all of it */
  ORDERFILE_CALL_UNKNOWN, /* it may use other memory */
  ORDERFILE_CALL_LATER,   /* it lets the kernel use other memory afterwards: io_uring */
};

/* Reports the memory that call NUMBER with its six ARGUMENTS will use. Any thread, any signal handler: it allocates
 * nothing, and calls nothing of libc except the functions in MEMORY.
 *
 * If the call or its request is not listed, each argument that may be an address is reported with one byte. */
OF_INTERNAL enum orderfile_call_knowledge orderfile_call_memory_used(
    int64_t number, const uint64_t *arguments, const struct orderfile_call_memory *memory);

#endif
