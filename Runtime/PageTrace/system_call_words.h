/* The words of the table of system calls. A call has a word for each of its arguments, separated by spaces:
 *
 *   .         a number, or an address that the kernel does not follow
 *   s         a string
 *   a         an array of addresses of strings, up to a null
 *   m         a struct msghdr, and the memory that it points to
 *   SIZE      an object of SIZE bytes
 *   SIZE@N    an array of objects of SIZE bytes; argument N is the count (the first argument is 1)
 *   SIZE#N    as SIZE@N, but only the low 32 bits of argument N count
 *   vN        an array of structures iovec, and the memory that they point to; argument N is the count
 *   lN        an object; argument N points to its size in bytes, a 32-bit number
 *   kN        an array of bits, in whole words of 64 bits; argument N is the count of bits
 *   z         an object that starts with its own size, a 32-bit number
 *
 * system_call_requests.c handles a call with the word `!`. */
#ifndef OF_SYSTEM_CALL_WORDS_H
#define OF_SYSTEM_CALL_WORDS_H

#include <of_attributes.h>

#include "system_call_access.h"

/* Returns the words of call NUMBER; NULL if the call is not listed. */
OF_INTERNAL const char *of_call_words(int64_t number);

/* Returns whether the kernel will use memory that the program names only after the call. */
OF_INTERNAL bool of_is_for_later(int64_t number);

/* Reports the memory of a call that has `!` in the table. Returns false if the request of the call is not listed. */
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
