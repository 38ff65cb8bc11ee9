#include "system_call_memory.h"

#include <stddef.h>

#include "system_call_words.h"

OF_INTERNAL void of_use_object(uint64_t address, uint64_t size,
                               const struct orderfile_call_memory *memory) {
  if (address && size) memory->use(memory->context, address, size);
}

OF_INTERNAL bool of_use_and_read(uint64_t address, void *to, uint64_t size,
                                 const struct orderfile_call_memory *memory) {
  if (!address) return false;
  memory->use(memory->context, address, size);
  return memory->read(memory->context, address, to, size);
}

OF_INTERNAL void of_use_string(uint64_t address, const struct orderfile_call_memory *memory) {
  if (!address) return;
  /* One page at a time: the kernel reads no further than the null. */
  for (uint64_t at = address;; at++) {
    char byte;
    if (at == address || at % 4096 == 0) memory->use(memory->context, at, 1);
    if (!memory->read(memory->context, at, &byte, 1) || !byte) return;
  }
}

OF_INTERNAL void of_use_vectors(uint64_t address, uint64_t count,
                                const struct orderfile_call_memory *memory) {
  uint64_t vector[2]; /* address, size */
  for (uint64_t i = 0; i < count && i < 1024; i++) { /* UIO_MAXIOV */
    if (!of_use_and_read(address + i * sizeof vector, vector, sizeof vector, memory)) return;
    of_use_object(vector[0], vector[1], memory);
  }
}

OF_LOCAL void of_use_strings(uint64_t address, const struct orderfile_call_memory *memory) {
  uint64_t string;
  for (uint64_t at = address; of_use_and_read(at, &string, 8, memory) && string; at += 8)
    of_use_string(string, memory);
}

/* <recvmsg(2)>: the name, the vectors, the control message. */
OF_INTERNAL void of_use_message(uint64_t address, const struct orderfile_call_memory *memory) {
  uint64_t fields[7];
  if (!of_use_and_read(address, fields, sizeof fields, memory)) return;
  of_use_object(fields[0], fields[1] & 0xffffffff, memory);
  of_use_vectors(fields[2], fields[3], memory);
  of_use_object(fields[4], fields[5], memory);
}

OF_LOCAL uint64_t of_number(const char **word) {
  uint64_t number = 0;
  for (; **word >= '0' && **word <= '9'; ++*word) number = number * 10 + (uint64_t)(**word - '0');
  return number;
}

OF_LOCAL uint64_t of_product(uint64_t size, uint64_t count) {
  uint64_t product;
  return __builtin_mul_overflow(size, count, &product) ? UINT64_MAX : product;
}

/* Reports the object at ADDRESS that WORD describes. WORD is a size or starts with v, k, l or z. */
OF_LOCAL void of_use_sized(const char *word, uint64_t address, const uint64_t *arguments,
                           const struct orderfile_call_memory *memory) {
  char kind = *word;
  uint32_t length;
  bool starts_with_size = kind >= '0' && kind <= '9';
  if (!starts_with_size) word++;
  uint64_t size = of_number(&word);
  switch (kind) {
  case 'v': of_use_vectors(address, arguments[size - 1], memory); return;
  case 'k':
    of_use_object(address, (arguments[size - 1] / 64 + (arguments[size - 1] % 64 != 0)) * 8, memory);
    return;
  case 'l':
    if (of_use_and_read(arguments[size - 1], &length, sizeof length, memory))
      of_use_object(address, length, memory);
    return;
  case 'z':
    if (of_use_and_read(address, &length, sizeof length, memory)) of_use_object(address, length, memory);
    return;
  default: break;
  }
  char unit = *word;
  if (unit == '@' || unit == '#') {
    word++;
    uint64_t count = arguments[of_number(&word) - 1];
    size = of_product(size, unit == '#' ? (uint32_t)count : count);
  }
  of_use_object(address, size, memory);
}

OF_INTERNAL void of_use_words(const char *words, const uint64_t *arguments,
                              const struct orderfile_call_memory *memory) {
  for (int i = 0; i < 6 && *words; i++) {
    uint64_t address = arguments[i];
    if (address) switch (*words) {
      case '.': break;
      case 's': of_use_string(address, memory); break;
      case 'a': of_use_strings(address, memory); break;
      case 'm': of_use_message(address, memory); break;
      default: of_use_sized(words, address, arguments, memory);
      }
    while (*words && *words != ' ') words++;
    if (*words) words++;
  }
}

OF_INTERNAL enum orderfile_call_knowledge orderfile_call_memory_used(
    int64_t number, const uint64_t *arguments, const struct orderfile_call_memory *memory) {
  const char *words = of_call_words(number);
  bool has_requests = words && *words == '!';
  bool is_known = has_requests ? of_use_request(number, arguments, memory) : words != NULL;
  if (words && !has_requests) of_use_words(words, arguments, memory);
  if (is_known) return of_is_for_later(number) ? ORDERFILE_CALL_LATER : ORDERFILE_CALL_KNOWN;
  of_use_words("1 1 1 1 1 1", arguments, memory);
  return ORDERFILE_CALL_UNKNOWN;
}
