/* system_call_memory.h: the memory of a program that the kernel reads or writes in a system call.
 *
 * Each argument has a letter:
 *   .  a number                      s  a string
 *   b  as many bytes as the next argument says
 *   v  a struct iovec, as many as the next argument says, and what they point to
 *   a  addresses of strings up to a null
 *   m  a struct msghdr and what it points to
 *   f  a struct pollfd, as many as the next argument says
 *   e  a struct epoll_event, as many as the next argument says
 *   4, 8, t (16), T (32), S, X, U: an object of that size; struct stat, struct statx, struct utsname
 *   p  an object of unknown size: its first byte
 * Calls that are not listed have six of type p: an argument that is not an address is in no watched page. So
 * does the third argument of ioctl(2); addresses inside that memory are unknown.
 *
 * <syscalls(2)>, and the manual page of each. */
#ifndef ORDERFILE_SYSTEM_CALL_MEMORY_H
#define ORDERFILE_SYSTEM_CALL_MEMORY_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>

/* Access to that memory for the caller. */
struct orderfile_call_memory {
  void *context;
  /* The kernel will use SIZE bytes at ADDRESS, at least 1. */
  void (*use)(void *context, uint64_t address, uint64_t size);
  /* Reads SIZE bytes that were passed to `use`; false if they are not mapped. */
  bool (*read)(void *context, uint64_t address, void *to, uint64_t size);
};

/* Reports the memory that call NUMBER with its six ARGUMENTS will use; nothing on a system with unknown
 * calls. Any thread, any signal handler: it allocates nothing, and calls nothing of libc except the
 * functions in MEMORY. */
OF_INTERNAL void orderfile_call_memory_used(
    int64_t number, const uint64_t *arguments, const struct orderfile_call_memory *memory);

#endif
