// dwarf IMAGE DAMAGES: prints the functions that CDwarf finds in an ELF image of this machine, then reads the image
// DAMAGES more times, each time with a few bytes of debug information changed, or with a section cut short. Each
// section is a memory block of exactly its size, so that the sanitizer sees an access beyond its end.
#include <cdwarf.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

struct section {
  char name[32];
  unsigned char *bytes;
  size_t size;
};
static struct section sections[32];
static size_t section_count;

static void take_sections(const char *path) {
  FILE *file = fopen(path, "rb");
  CHECK(file);
  static unsigned char image[1 << 24];
  size_t size = fread(image, 1, sizeof image, file);
  fclose(file);
  CHECK(size > sizeof(Elf64_Ehdr) && size < sizeof image);
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Shdr *table = (const void *)(image + header->e_shoff);
  const char *names = (const char *)image + table[header->e_shstrndx].sh_offset;
  for (int i = 0; i < header->e_shnum; i++) {
    const char *name = names + table[i].sh_name;
    if (strncmp(name, ".debug_", 7) != 0) continue;
    CHECK(section_count < 32 && strlen(name) < 32 && table[i].sh_size > 0);
    struct section *section = &sections[section_count++];
    strcpy(section->name, name);
    section->size = table[i].sh_size;
    CHECK((section->bytes = malloc(section->size)));
    memcpy(section->bytes, image + table[i].sh_offset, section->size);
  }
}

// The number of functions; prints them if PRINTS.
static size_t read_all(bool prints) {
  orderfile_dwarf *reader = orderfile_dwarf_new(true, false);
  CHECK(reader);
  for (size_t i = 0; i < section_count; i++)
    CHECK(orderfile_dwarf_add(reader, sections[i].name, sections[i].bytes, sections[i].size));
  char message[200];
  size_t count = 0;
  if (orderfile_dwarf_load(reader, message, sizeof message)) {
    orderfile_dwarf_function function;
    while (orderfile_dwarf_next(reader, &function) && count < 100000) {
      CHECK(strlen(function.name) == function.name_size);
      if (prints) printf("%s %d\n", function.name, function.size > 0);
      count++;
    }
  } else {
    CHECK(strlen(message) < sizeof message);
  }
  orderfile_dwarf_close(reader);
  return count;
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  orderfile_dwarf_close(NULL);
  take_sections(arguments[1]);
  CHECK(section_count > 0);
  size_t functions = read_all(true);
  unsigned long long state = 88172645463325252ull;
  for (int damage = 0; damage < atoi(arguments[2]); damage++) {
    struct section *section = &sections[next_random(&state) % section_count], whole = *section;
    size_t size = section->size;
    if (damage % 4 == 0) size = next_random(&state) % whole.size + 1;
    CHECK((section->bytes = malloc(size)));
    memcpy(section->bytes, whole.bytes, size);
    section->size = size;
    for (int i = 0; damage % 4 != 0 && i <= damage % 3; i++)
      section->bytes[next_random(&state) % size] = (unsigned char)next_random(&state);
    read_all(false);
    free(section->bytes);
    *section = whole;
  }
  CHECK(read_all(false) == functions);
  for (size_t i = 0; i < section_count; i++) free(sections[i].bytes);
  return 0;
}
