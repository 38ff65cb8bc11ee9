/* The words of the table of system calls. Each call has one for each of its arguments, separated by spaces:
 *
 *   .         a number, or an address that the kernel does not follow
 *   s         a string
 *   a         addresses of strings, up to a null
 *   m         a struct msghdr, and what it points to
 *   SIZE      an object of SIZE bytes
 *   SIZE@N    as many objects of SIZE bytes as argument N says, the first being 1
 *   SIZE#N    the same, for a number of 32 bits
 *   vN        as many structures iovec as argument N says, and what they point to
 *   lN        as many bytes as the 32-bit number says that argument N points to
 *   kN        as many bits as argument N says, in whole words of 64
 *   z         an object that starts with its size, of 32 bits
 *
 * `!` stands for a call whose memory depends on a request: see system_call_requests.c. */
#ifndef OF_SYSTEM_CALL_WORDS_H
#define OF_SYSTEM_CALL_WORDS_H

#include <of_attributes.h>

#include "system_call_access.h"

/* The words of call NUMBER; NULL if it is not listed. */
OF_INTERNAL const char *of_call_words(int64_t number);

/* Whether the kernel will use memory that it learns of after the call. */
OF_INTERNAL bool of_is_for_later(int64_t number);

/* Reports the memory of a call that has `!` in the table; false if its request is not listed. */
OF_INTERNAL bool of_use_request(int64_t number, const uint64_t *arguments,
                                const struct orderfile_call_memory *memory);

/* Reports the memory that WORDS describe. */
OF_INTERNAL void of_use_words(const char *words, const uint64_t *arguments,
                              const struct orderfile_call_memory *memory);

/* Reports an object, unless its address or size is 0. */
OF_INTERNAL void of_use_object(uint64_t address, uint64_t size,
                               const struct orderfile_call_memory *memory);

/* Reports and reads an object; false if it can't be read. */
OF_INTERNAL bool of_use_and_read(uint64_t address, void *to, uint64_t size,
                                 const struct orderfile_call_memory *memory);
OF_INTERNAL void of_use_string(uint64_t address, const struct orderfile_call_memory *memory);
OF_INTERNAL void of_use_vectors(uint64_t address, uint64_t count,
                                const struct orderfile_call_memory *memory);
OF_INTERNAL void of_use_message(uint64_t address, const struct orderfile_call_memory *memory);

#endif
