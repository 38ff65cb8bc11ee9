/* system_call_memory.h: the memory of a program that the kernel reads or writes in a system call.
 *
 * system_call_table.c describes each argument of each call of Linux 6.18 with a word. system_call_requests.c handles
 * the calls whose memory depends on a request, such as ioctl(2), or contains addresses.
 *
 * Sources: <syscalls(2)>, the manual page of each call, and the prototypes in the kernel (SYSCALL_DEFINE). */
#ifndef ORDERFILE_SYSTEM_CALL_MEMORY_H
#define ORDERFILE_SYSTEM_CALL_MEMORY_H

#include <of_attributes.h>
#include <stdint.h>

#include "system_call_access.h"

/* How much of the memory that a call uses is known. */
enum orderfile_call_knowledge {
  ORDERFILE_CALL_KNOWN,   /* all of the memory */
  ORDERFILE_CALL_UNKNOWN, /* the call may use other memory */
  ORDERFILE_CALL_LATER,   /* the kernel may use other memory after the call: io_uring */
};

/* Reports the memory that call NUMBER with its six ARGUMENTS will use. Any thread and any signal handler may call it:
 * it allocates nothing, and calls nothing of libc except the functions in MEMORY.
 *
 * If the call or its request is not listed, reports one byte at each argument, as if each argument were an address. */
OF_INTERNAL enum orderfile_call_knowledge orderfile_call_memory_used(
    int64_t number, const uint64_t *arguments, const struct orderfile_call_memory *memory);

#endif
