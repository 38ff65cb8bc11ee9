#include "ctrace.h"

#include <of_image_id.h>
#include <string.h>

uint32_t ctrace_image_id(uint64_t start,
                         bool (*read)(void *context, uint64_t address, void *to, uint64_t size),
                         void *context, uint8_t *id, bool *is_weak) {
#if defined(__linux__)
  struct of_elf_headers headers;
  uint8_t notes[OF_MOST_NOTES];
  struct of_image_id found;
  uint64_t slide;
  if (!of_read_elf_headers(start, read, context, &headers) ||
      !of_find_slide(&headers, start, &slide))
    return 0;
  of_read_image_id(&headers, slide, read, context, notes, &found);
  memcpy(id, found.bytes, found.size);
  *is_weak = found.is_weak != 0;
  return found.size;
#else
  return (void)start, (void)read, (void)context, (void)id, (void)is_weak, 0;
#endif
}
