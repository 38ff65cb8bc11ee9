/* images.h for Linux: dl_iterate_phdr(3), with glibc, musl or bionic. */
#if defined(__linux__)
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "images.h"

#include <elf.h>
#include <link.h>
#include <of_bytes.h>
#include <of_image_id.h>
#include <orderfile_trace_format.h>
#include <sys/auxv.h>

/* glibc names the executable "", and other images as they were requested. musl names the executable as it was
 * requested, too. The kernel passes the address of the executable's program headers. */
OF_LOCAL bool of_is_executable(const struct dl_phdr_info *info) {
  const char *name = info->dlpi_name;
  return !name || !*name || (unsigned long)info->dlpi_phdr == getauxval(AT_PHDR);
}

typedef struct of_image_search {
  uint64_t address;
  of_image *image;
} of_image_search;

OF_LOCAL int of_match_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  of_image_search *search = context;
  uint64_t start = UINT64_MAX, end = 0, text_start = UINT64_MAX, text_end = 0;
  bool is_inside = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uint64_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
    if (low < start) start = low;
    if (high > end) end = high;
    is_inside |= low <= search->address && search->address < high;
    if (!(segment->p_flags & PF_X)) continue;
    if (low < text_start) text_start = low;
    if (high > text_end) text_end = high;
  }
  if (!is_inside) return 0;

  of_image *image = search->image;
  image->slide = info->dlpi_addr;
  image->start = start;
  image->end = end;
  image->text_start = text_end ? text_start : 0;
  image->text_end = text_end;
  image->id = NULL;
  image->id_kind = ORDERFILE_ID_BUILD_ID;
  image->id_size = 0;
  of_store_weak_id(info->dlpi_phdr, info->dlpi_phnum * sizeof(ElfW(Phdr)), image->weak_id);
  for (int i = 0; i < info->dlpi_phnum && !image->id; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const uint8_t *notes = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
    image->id = of_find_build_id(notes, notes + segment->p_memsz, &image->id_size);
  }

  const char *name = info->dlpi_name;
  uint64_t length = 0;
  image->is_executable = of_is_executable(info);
  if (image->is_executable) {
    of_executable_path(image->path);
    return 1;
  }
  if (*name != '/') {
    int folder = of_current_folder(image->path);
    if (folder > 0) {
      length = (uint64_t)folder;
      image->path[length++] = '/';
    }
  }
  uint64_t name_length = of_length(name);
  if (length + name_length >= OF_PATH_SIZE) name_length = OF_PATH_SIZE - 1 - length;
  of_copy(image->path + length, name, name_length);
  image->path[length + name_length] = 0;
  return 1;
}

bool of_find_image(uint64_t address, of_image *image) {
  OF_RAW of_image_search search;
  search.address = address;
  search.image = image;
  return dl_iterate_phdr(of_match_image, &search) != 0;
}

OF_LOCAL int of_match_program(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  const void **address = context;
  uint64_t wanted = (uint64_t)*address;
  bool is_program = of_is_executable(info);
  for (int i = 0; is_program && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && low <= wanted && wanted < low + segment->p_memsz)
      *address = NULL;
  }
  return 1; /* the program is the first image */
}

bool of_is_in_program(const void *address) {
  dl_iterate_phdr(of_match_program, &address);
  return !address;
}

OF_LOCAL int of_store_unload_count(struct dl_phdr_info *info, size_t size, void *context) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *(uint64_t *)context = info->dlpi_subs;
  return 1;
}

uint64_t of_unload_count(void) {
  uint64_t count = 0;
  dl_iterate_phdr(of_store_unload_count, &count);
  return count;
}
#endif
