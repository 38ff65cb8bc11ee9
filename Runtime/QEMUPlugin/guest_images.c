/* Idea. QEMU maps the files of the program where the program sees them, or at a constant distance from there. So QEMU's
 * own /proc/self/maps shows the file and the offset of each instruction. QEMU removes the right to execute, so any
 * mapping of a file may be code. The program headers of the file show the stated address at that offset.
 *
 * Images are found at the first translation of their code. When the program has mapped or unmapped something, each
 * known image must still be where it was; otherwise it is gone, and another image is at its addresses now.
 *
 * The kernel merges mappings of neighboring parts of a file, and a program splits them (mprotect). So a mapping is only
 * a range of a file; the segments show which ranges belong together.
 *
 * Another file may be at the path of an image by now. So headers and notes are read from memory, not from the file. The
 * image ID identifies the build that ran. */
#if defined(__linux__)
#define _GNU_SOURCE
#include "guest_images.h"

#include <elf.h>
#include <fcntl.h>
#include <of_image_id.h>
#include <of_process_maps.h>
#include <orderfile_trace_format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OF_MOST_IMAGES = 1024, OF_MOST_MAPPINGS = 1 << 16 };

static struct of_guest_image of_images[OF_MOST_IMAGES]; /* `end` is 0 in a free entry */
static size_t of_image_count;                           /* the number of entries that have been in use */
static struct of_guest_image *of_latest;

/* The mappings of files, ascending. */
struct of_file_mapping {
  uint64_t start, end, offset, device, inode;
  bool is_no_image; /* as an earlier look-up found: a JIT, for example, shares a file between two mappings */
};
static struct of_file_mapping of_mappings[OF_MOST_MAPPINGS];
static size_t of_mapping_count;
static bool of_is_stale = true;

OF_INTERNAL void of_images_changed(void) { of_is_stale = true; }

/* Calls BODY for each of this process's mappings. */
OF_LOCAL bool of_each_mapping(void (*body)(const struct of_mapping *, void *), void *context) {
  static char text[1 << 16];
  int file = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  size_t held = 0;
  ssize_t count;
  while ((count = read(file, text + held, sizeof text - held)) > 0) {
    held += (size_t)count;
    size_t used = of_each_mapping_in(text, held, body, context);
    if (used == 0 && held == sizeof text) break; /* no line is longer than the buffer */
    memmove(text, text + used, held - used);
    held -= used;
  }
  close(file);
  return count == 0;
}

OF_LOCAL void of_keep_mapping(const struct of_mapping *mapping, void *context) {
  (void)context;
  if (!mapping->path || of_mapping_count == OF_MOST_MAPPINGS) return;
  of_mappings[of_mapping_count++] = (struct of_file_mapping){
      mapping->start, mapping->end, mapping->offset, mapping->device, mapping->inode, false};
}

OF_LOCAL struct of_file_mapping *of_mapping_at(uint64_t host) {
  size_t low = 0, high = of_mapping_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (of_mappings[middle].end <= host) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool is_found = low < of_mapping_count && of_mappings[low].start <= host;
  return is_found ? &of_mappings[low] : NULL;
}

struct of_path_search {
  const struct of_file_mapping *mapping;
  char *path;
  size_t size;
  bool is_found;
};

OF_LOCAL void of_compare_mapping(const struct of_mapping *mapping, void *context) {
  struct of_path_search *search = context;
  if (!mapping->path || mapping->start != search->mapping->start) return;
  size_t size = strcspn(mapping->path, "\n");
  if (size >= search->size) return;
  memcpy(search->path, mapping->path, size);
  search->path[size] = 0;
  search->is_found = true;
  if (!strstr(search->path, "\\012")) return; /* a line feed or these four characters: the link has the exact path */
  char link[96];
  snprintf(link, sizeof link, "/proc/%d/map_files/%llx-%llx", (int)syscall(SYS_gettid),
           (unsigned long long)mapping->start, (unsigned long long)mapping->end);
  ssize_t length = readlink(link, search->path, search->size - 1);
  if (length > 0) search->path[length] = 0;
}

/* Copies SIZE bytes of this process's memory. Returns false if the memory is no longer mapped. */
OF_LOCAL bool of_read_memory(void *context, uint64_t address, void *to, uint64_t size) {
  (void)context;
  struct iovec here = {to, size}, there = {(void *)address, size};
  return process_vm_readv((pid_t)syscall(SYS_gettid), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Returns the address at which the first byte of MAPPING's file is mapped; 0 if the first byte is not mapped. */
OF_LOCAL uint64_t of_file_start(const struct of_file_mapping *mapping) {
  for (const struct of_file_mapping *other = mapping; other >= of_mappings; other--) {
    bool is_same = other->device == mapping->device && other->inode == mapping->inode;
    if (is_same && other->offset == 0) return other->start;
  }
  return 0;
}

/* Reads the headers of the image whose file begins at START in memory. */
OF_LOCAL bool of_read_headers(uint64_t start, struct of_elf_headers *headers) {
  return of_read_elf_headers(start, of_read_memory, NULL, headers);
}

struct of_file_search {
  uint64_t start;
  struct of_mapping found; /* `end` is 0 until the mapping is found */
};

OF_LOCAL void of_compare_start(const struct of_mapping *mapping, void *context) {
  struct of_file_search *search = context;
  if (mapping->start <= search->start && search->start < mapping->end) search->found = *mapping;
}

/* Returns whether the file mapped at START is the file of MAPPING. On btrfs and overlayfs, stat(2) states another device than
 * mappings do. */
OF_LOCAL bool of_is_same_file(uint64_t start, const struct of_file_mapping *mapping) {
  struct of_file_search search = {.start = start};
  return of_each_mapping(of_compare_start, &search) && search.found.end != 0 &&
         search.found.device == mapping->device && search.found.inode == mapping->inode;
}

/* Reads the headers of an image from the file at PATH, if it still is the file of MAPPING. For an image whose headers
 * are not in memory. */
OF_LOCAL bool of_read_headers_of_file(const struct of_file_mapping *mapping, const char *path,
                                      struct of_elf_headers *headers) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status;
  void *start = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    start = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (start == MAP_FAILED) return false;
  bool is_read = of_is_same_file((uint64_t)start, mapping) && of_read_headers((uint64_t)start, headers);
  munmap(start, (size_t)status.st_size);
  return is_read;
}

/* Stores the image ID: the build ID, or a weak ID of the program headers for an image without a build ID. */
OF_LOCAL void of_read_id(const struct of_elf_headers *headers, struct of_guest_image *image) {
  static uint8_t notes[OF_MOST_NOTES];
  static struct of_image_id id;
  of_read_image_id(headers, image->slide + image->to_host, of_read_memory, NULL, notes, &id);
  memcpy(image->id, id.bytes, id.size);
  image->id_size = id.size;
  image->id_kind = id.is_weak ? ORDERFILE_ID_WEAK : ORDERFILE_ID_BUILD_ID;
}

/* Stores the code's range and the slide of the image with HEADERS. The file's byte at OFFSET is at ADDRESS. Returns
 * false if the image has no code there. */
OF_LOCAL bool of_read_segments(const struct of_elf_headers *headers, uint64_t offset, uint64_t address,
                               struct of_guest_image *image) {
  bool is_found = false;
  uint64_t low = UINT64_MAX, high = 0, low_offset = 0;
  for (unsigned i = 0; i < headers->header.e_phnum; i++) {
    Elf64_Phdr segment = headers->segments[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_vaddr + segment.p_memsz < segment.p_vaddr) {
      return false;
    }
    if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz) {
      is_found = true;
      image->slide = address - (segment.p_vaddr + (offset - segment.p_offset));
    }
    if (segment.p_vaddr < low) {
      low = segment.p_vaddr;
      low_offset = segment.p_offset;
    }
    if (segment.p_vaddr + segment.p_memsz > high) high = segment.p_vaddr + segment.p_memsz;
  }
  if (!is_found) return false;
  image->start = low + image->slide;
  image->end = high + image->slide;
  image->offset = low_offset;
  return image->start < image->end && image->start <= address && address < image->end;
}

/* Returns whether the file of IMAGE is still mapped where it was. Compares the image ID, too, because inode numbers are
 * reused. */
OF_LOCAL bool of_is_in_place(const struct of_guest_image *image) {
  uint64_t host = image->start + image->to_host;
  const struct of_file_mapping *mapping = of_mapping_at(host);
  if (!mapping || mapping->device != image->device || mapping->inode != image->inode ||
      mapping->offset + (host - mapping->start) != image->offset) {
    return false;
  }
  static struct of_elf_headers headers;
  static struct of_guest_image now;
  now.slide = image->slide;
  now.to_host = image->to_host;
  if (!of_read_headers(of_file_start(mapping), &headers)) return image->id_size == 0;
  of_read_id(&headers, &now);
  return now.id_kind == image->id_kind && now.id_size == image->id_size &&
         memcmp(now.id, image->id, now.id_size) == 0;
}

OF_LOCAL size_t of_seen_size(const struct of_guest_image *image) {
  return (image->end - image->start + 7) / 8;
}

OF_INTERNAL bool of_images_refresh(void (*gone)(const struct of_guest_image *)) {
  if (!of_is_stale) return true;
  of_mapping_count = 0;
  if (!of_each_mapping(of_keep_mapping, NULL)) return false;
  of_is_stale = false;
  for (size_t i = 0; i < of_image_count; i++) {
    struct of_guest_image *image = &of_images[i];
    if (image->end == 0 || of_is_in_place(image)) continue;
    gone(image);
    munmap(image->is_seen, of_seen_size(image));
    image->end = 0;
    if (of_latest == image) of_latest = NULL;
  }
  return true;
}

/* Adds the image that contains MAPPING. */
OF_LOCAL struct of_guest_image *of_add_image(const struct of_file_mapping *mapping,
                                             uint64_t address, uint64_t host) {
  size_t place = 0;
  while (place < of_image_count && of_images[place].end != 0) place++;
  if (place == OF_MOST_IMAGES) return NULL;
  struct of_guest_image *image = &of_images[place];
  struct of_path_search search = {mapping, image->path, sizeof image->path, false};
  if (!of_each_mapping(of_compare_mapping, &search) || !search.is_found) return NULL;
  static struct of_elf_headers headers;
  uint64_t offset = mapping->offset + (host - mapping->start);
  image->to_host = host - address;
  bool is_in_memory = of_read_headers(of_file_start(mapping), &headers);
  if ((is_in_memory || of_read_headers_of_file(mapping, image->path, &headers)) &&
      of_read_segments(&headers, offset, address, image)) {
    image->id_size = image->id_kind = 0;
    if (is_in_memory) of_read_id(&headers, image);
    image->device = mapping->device;
    image->inode = mapping->inode;
    image->number = 0;
    image->is_seen = mmap(NULL, of_seen_size(image), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (image->is_seen != MAP_FAILED) {
      if (place == of_image_count) of_image_count++;
      return image;
    }
  }
  image->end = 0;
  return NULL;
}

OF_INTERNAL struct of_guest_image *of_image_at(uint64_t address, const void *host) {
  if (of_latest && address >= of_latest->start && address < of_latest->end) return of_latest;
  for (size_t i = 0; i < of_image_count; i++) {
    struct of_guest_image *image = &of_images[i];
    if (address < image->start || address >= image->end) continue;
    of_latest = image;
    return image;
  }
  struct of_file_mapping *mapping = of_mapping_at((uint64_t)host);
  if (!mapping || mapping->is_no_image) return NULL;
  struct of_guest_image *image = of_add_image(mapping, address, (uint64_t)host);
  if (image) of_latest = image;
  mapping->is_no_image = !image;
  return image;
}

OF_INTERNAL bool of_image_see(struct of_guest_image *image, uint64_t address) {
  uint64_t place = address - image->start;
  uint8_t bit = (uint8_t)(1u << place % 8);
  if (image->is_seen[place / 8] & bit) return false;
  image->is_seen[place / 8] |= bit;
  return true;
}

OF_INTERNAL void of_images_forget_numbers(void) {
  for (size_t i = 0; i < of_image_count; i++) of_images[i].number = 0;
}

#endif
