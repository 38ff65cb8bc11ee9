/* Reads the ID of an image from its headers and notes in memory: another file may be at the image's path by now.
 *
 * Nothing here needs libc. */
#ifndef OF_IMAGE_ID_H
#define OF_IMAGE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "of_attributes.h"
#include "of_bytes.h"

/* Stores the weak ID of an image that has no other ID: the hash of the SIZE bytes of its program headers or load
 * commands. The weak ID has 8 bytes, big-endian as in traces. */
OF_INLINE void of_store_weak_id(const void *headers, uint64_t size, uint8_t *id) {
  uint64_t hash = of_fnv1a(headers, size);
  for (int i = 0; i < 8; i++) id[i] = (uint8_t)(hash >> (56 - 8 * i));
}

#if defined(__linux__)
#include <elf.h>
#include <link.h>

/* Returns the build ID in the note segment NOTES..END, and stores its size; NULL if there is none. Notes are a run of
 * (namesz, descsz, type, name, desc), each part padded to 4 bytes (elf(5), "Notes"). */
OF_INLINE const uint8_t *of_find_build_id(const uint8_t *notes, const uint8_t *end, uint32_t *size) {
  while (end - notes >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const void *)notes;
    const uint8_t *name = notes + sizeof *note;
    uint64_t name_size = (note->n_namesz + 3ull) & ~3ull, id_size = (note->n_descsz + 3ull) & ~3ull;
    if (name_size + id_size > (uint64_t)(end - name)) return NULL;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && of_equal(name, "GNU", 4)) {
      *size = note->n_descsz;
      return name + name_size;
    }
    notes = name + name_size + id_size;
  }
  return NULL;
}

enum { OF_MOST_SEGMENTS = 128, OF_MOST_NOTES = 4096, OF_MOST_ID_BYTES = 64 };

/* The headers of an image. */
struct of_elf_headers {
  Elf64_Ehdr header;
  Elf64_Phdr segments[OF_MOST_SEGMENTS];
};

struct of_image_id {
  uint32_t size; /* in bytes; 0 if the headers are not in memory */
  uint32_t is_weak;
  uint8_t bytes[OF_MOST_ID_BYTES];
};

/* Copies SIZE bytes of memory at ADDRESS; false if they can't be read. */
typedef bool of_memory_reader(void *context, uint64_t address, void *to, uint64_t size);

/* Reads the headers of the 64-bit image whose file begins at START in memory; false if there are none. */
OF_INLINE bool of_read_elf_headers(uint64_t start, of_memory_reader *read, void *context,
                                   struct of_elf_headers *headers) {
  Elf64_Ehdr *header = &headers->header;
  return start && read(context, start, header, sizeof *header) &&
         of_equal(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_phentsize == sizeof(Elf64_Phdr) &&
         header->e_phnum <= OF_MOST_SEGMENTS &&
         read(context, start + header->e_phoff, headers->segments,
              header->e_phnum * sizeof(Elf64_Phdr));
}

/* Reads the ID of the image with HEADERS from memory, where SLIDE is added to the stated addresses. NOTES has room for
 * OF_MOST_NOTES bytes. */
OF_INLINE void of_read_image_id(const struct of_elf_headers *headers, uint64_t slide,
                                of_memory_reader *read, void *context, uint8_t *notes,
                                struct of_image_id *id) {
  uint64_t count = headers->header.e_phnum;
  for (uint64_t i = 0; i < count; i++) {
    const Elf64_Phdr *segment = &headers->segments[i];
    uint64_t size = segment->p_filesz < OF_MOST_NOTES ? segment->p_filesz : OF_MOST_NOTES;
    if (segment->p_type != PT_NOTE || !read(context, segment->p_vaddr + slide, notes, size)) continue;
    const uint8_t *bytes = of_find_build_id(notes, notes + size, &id->size);
    if (!bytes || id->size == 0) continue;
    if (id->size > OF_MOST_ID_BYTES) id->size = 0; /* no known kind of ID is longer */
    id->is_weak = 0;
    of_copy(id->bytes, bytes, id->size);
    return;
  }
  of_store_weak_id(headers->segments, count * sizeof(Elf64_Phdr), id->bytes);
  id->size = 8;
  id->is_weak = 1;
}

/* Stores the slide of the image with HEADERS, whose file begins at START in memory. Returns false if no loaded segment
 * begins in the first 4 KiB of the file. */
OF_INLINE bool of_find_slide(const struct of_elf_headers *headers, uint64_t start, uint64_t *slide) {
  for (uint64_t i = 0; i < headers->header.e_phnum; i++) {
    const Elf64_Phdr *segment = &headers->segments[i];
    if (segment->p_type != PT_LOAD || segment->p_offset >= 4096) continue;
    *slide = start - (segment->p_vaddr - segment->p_offset);
    return true;
  }
  return false;
}
#endif

#endif
