/* images.h for macOS, iOS and related systems: dyld. */
#if defined(__APPLE__)
#include "images.h"

#include <mach-o/dyld.h>
#include <of_atomics.h>
#include <of_image_id.h>
#include <orderfile_trace_format.h>

#include "darwin.h"

static uint64_t of_unloads;      /* atomic; images that dyld has unloaded while we listened */
static uint32_t of_is_listening; /* atomic */

OF_LOCAL void of_count_unload(const struct mach_header *header, intptr_t slide) {
  (void)header;
  (void)slide;
  of_fetch_add_relaxed(&of_unloads, 1); /* relaxed: a count */
}

uint64_t of_unload_count(void) { return of_load_relaxed(&of_unloads); /* relaxed: a count */ }

/* If an image uses this copy without containing it, none of our code runs at dlclose. dyld never unloads an image that
 * listens for unloads, so this image listens only if necessary. */
OF_LOCAL void of_listen_for_unloads(void) {
  uint32_t listening = 0;
  if (of_compare_exchange_relaxed(&of_is_listening, &listening, 1)) /* relaxed: picks one caller */
    _dyld_register_func_for_remove_image(of_count_unload);
}

/* Fills in IMAGE from the load commands of the image at HEADER. */
OF_LOCAL void of_read_load_commands(const struct mach_header_64 *header, of_image *image) {
  uint64_t start = UINT64_MAX, end = 0, text_start = UINT64_MAX, text_end = 0;
  const uint8_t *at = (const uint8_t *)(header + 1), *last = at + header->sizeofcmds;
  of_store_weak_id(at, header->sizeofcmds, image->weak_id);
  image->id = NULL;
  image->id_kind = ORDERFILE_ID_UUID;
  image->id_size = 0;
  image->slide = 0;
  image->is_executable = header->filetype == MH_EXECUTE;
  for (uint32_t i = 0; i < header->ncmds; i++) {
    const struct load_command *command = (const void *)at;
    if (last - at < (ptrdiff_t)sizeof *command || command->cmdsize < sizeof *command) break;
    if (command->cmdsize > (uint64_t)(last - at)) break;
    at += command->cmdsize;
    if (command->cmd == LC_UUID && command->cmdsize >= sizeof(struct uuid_command)) {
      image->id = ((const struct uuid_command *)command)->uuid;
      image->id_size = sizeof ((const struct uuid_command *)command)->uuid;
    }
    if (command->cmd != LC_SEGMENT_64) continue;
    const struct segment_command_64 *segment = (const void *)command;
    if (segment->maxprot == VM_PROT_NONE) continue; /* __PAGEZERO */
    if (segment->fileoff == 0 && segment->filesize) image->slide = (uint64_t)header - segment->vmaddr;
    uint64_t low = segment->vmaddr, high = low + segment->vmsize;
    if (low < start) start = low;
    if (high > end) end = high;
    if (!(segment->initprot & VM_PROT_EXECUTE)) continue;
    if (low < text_start) text_start = low;
    if (high > text_end) text_end = high;
  }
  image->start = start + image->slide;
  image->end = end + image->slide;
  image->text_start = text_end ? text_start + image->slide : 0;
  image->text_end = text_end ? text_end + image->slide : 0;
}

/* Compares only the addresses of headers, and reads one image: reading all of a process's hundreds of images would page
 * in a page of each. An image outside the shared cache begins with its header. */
bool of_find_image(uint64_t address, of_image *image) {
  const struct mach_header *found = NULL;
  uint32_t number = 0;
  for (uint32_t i = 0, count = _dyld_image_count(); i < count; i++) {
    const struct mach_header *header = _dyld_get_image_header(i);
    if (!header || (uint64_t)header > address || header <= found) continue;
    found = header;
    number = i;
  }
  if (!found) return false;
  of_read_load_commands((const struct mach_header_64 *)found, image);
  if (address < image->start || address >= image->end) return false;
  const char *path = _dyld_get_image_name(number);
  bool is_relative = path && path[0] != '/' && of_current_folder(image->path) > 0;
  int length = is_relative ? of_join(image->path, image->path, path)
                           : of_join(image->path, path ? path : "", "");
  if (length < 0) image->path[0] = 0;
  if (found != (const void *)&__dso_handle) of_listen_for_unloads();
  return true;
}

bool of_is_in_program(const void *address) {
  (void)address; /* an address of the recorder, which is in this image */
  return __dso_handle.filetype == MH_EXECUTE;
}
#endif
