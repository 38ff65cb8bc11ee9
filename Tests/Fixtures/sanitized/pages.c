// Checks the parts of the page tracer that keep no state: lines of /proc/self/maps, states of pages, the memory that
// system calls use. Also checks how the command reads the memory that it shares with the page tracer, whatever a
// program has written there.
#define _GNU_SOURCE
#include <cpages.h>
#include <errno.h>
#include <of_process_maps.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "page_states.h"
#include "system_call_memory.h"

static void count_mapping(const struct of_mapping *mapping, void *context) {
  CHECK(mapping->start < mapping->end && mapping->protection <= 7);
  if (mapping->path) CHECK(*mapping->path == '/');
  ++*(size_t *)context;
}

// Compares the parsed mappings with those of scanf. Then parses each beginning of the text, and each line with one byte
// changed, in a memory block of exactly its size.
static void maps(void) {
  static char text[1 << 16];
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file);
  size_t size = fread(text, 1, 4096, file), lines = 0, mappings = 0;
  fclose(file);
  for (char *line = text, *end; (end = memchr(line, '\n', size - (size_t)(line - text)));
       line = end + 1, lines++) {
    unsigned long start, stop, offset, inode;
    unsigned major, minor;
    char protection[5];
    CHECK(sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &start, &stop, protection, &offset, &major,
                 &minor, &inode) == 7);
    struct of_mapping mapping;
    of_parse_mapping(line, &mapping);
    CHECK(mapping.start == start && mapping.end == stop && mapping.offset == offset);
    CHECK(mapping.inode == inode && mapping.device == ((uint64_t)major << 32 | minor));
    CHECK(!(mapping.protection & PROT_EXEC) == !strchr(protection, 'x'));
    size_t length = (size_t)(end - line) + 1;
    for (size_t at = 0; at + 1 < length; at++) {
      char *damaged = malloc(at + 2);
      CHECK(damaged);
      memcpy(damaged, line, at + 1);
      damaged[at] = (char)(damaged[at] ^ 1);
      damaged[at + 1] = '\n';
      of_parse_mapping(damaged, &mapping);
      CHECK(of_is_same_line(damaged, damaged) && !of_is_same_line(damaged, "\n") == (at > 0 || *damaged != '\n'));
      free(damaged);
    }
  }
  size_t used = of_each_mapping_in(text, size, count_mapping, &mappings);
  CHECK(mappings == lines && used <= size && text[used - 1] == '\n');
}

// The access that a page allows never exceeds the access that the program gave it, and no seen access makes it less.
static void states(void) {
  for (unsigned state = 0; state < 128; state++) {
    for (int begun = 0; begun < 2; begun++) {
      uint32_t allowed = of_allowed((uint8_t)state, begun);
      CHECK((allowed & ~(state & OF_BY_RIGHT)) == 0);
      if (!(state & OF_WATCHED)) CHECK(allowed == (state & OF_BY_RIGHT));
      const enum orderfile_page_access kinds[] = {ORDERFILE_PAGE_READ, ORDERFILE_PAGE_WRITE,
                                                  ORDERFILE_PAGE_EXECUTE, ORDERFILE_PAGE_KERNEL};
      for (int i = 0; i < 4; i++) {
        uint32_t more = of_allowed((uint8_t)(state | of_seen_by(kinds[i])), begun);
        CHECK((more & allowed) == allowed);
        uint8_t right = of_right_for(kinds[i]);
        if (state & right) CHECK(more & right);
      }
    }
  }
}

// The memory of a simulated program: one page at PLACE.
enum { PLACE = 0x10000 };
struct memory {
  unsigned char page[4096];
  uint64_t uses;
};

static void use(void *context, uint64_t address, uint64_t size) {
  (void)address;
  CHECK(size > 0);
  ((struct memory *)context)->uses++;
}

static bool read_bytes(void *context, uint64_t address, void *to, uint64_t size) {
  if (address < PLACE || address > PLACE + 4096 || size > PLACE + 4096 - address) return false;
  memcpy(to, ((struct memory *)context)->page + (address - PLACE), size);
  return true;
}

static void calls(void) {
  static struct memory memory;
  struct orderfile_call_memory reader = {&memory, use, read_bytes};
  unsigned long long state = 362436069;
  for (int64_t number = -1; number < 600; number++) {
    for (int round = 0; round < 50; round++) {
      for (size_t i = 0; i < sizeof memory.page; i += 8) {
        uint64_t value = next_random(&state) % 3 ? PLACE + next_random(&state) % 4100 : next_random(&state) % 9;
        memcpy(memory.page + i, &value, 8);
      }
      uint64_t arguments[6];
      for (int i = 0; i < 6; i++)
        arguments[i] = round % 3 == 0 ? next_random(&state) : PLACE + next_random(&state) % 4200;
      orderfile_call_memory_used(number, arguments, &reader);
    }
  }
  memory.uses = 0;
  uint64_t arguments[6] = {1, PLACE, 10, 0, 0, 0};
  orderfile_call_memory_used(SYS_write, arguments, &reader);
  CHECK(memory.uses == 1);
}

static void records(void) {
  struct cpages *pages;
  int descriptor, error;
  int result = cpages_create("/a\n", "mark", "/b", 12, &pages, &descriptor);
  CHECK(result == 0);
  static char name[300];
  memset(name, 'n', sizeof name - 1);
  struct cpages *none;
  int other;
  CHECK(cpages_create("", name, "", 0, &none, &other) == ENAMETOOLONG);
  struct orderfile_page_trace *trace = (struct orderfile_page_trace *)pages;
  unsigned long long state = 521288629;
  for (int round = 0; round < 200; round++) {
    uint32_t place = 0, events = 0;
    trace->next = round % 5 == 0 ? UINT32_MAX : 1000;
    for (uint32_t i = 0; i < 1000; i++) {
      struct orderfile_page_record *record = &trace->records[i];
      for (uint32_t *word = (uint32_t *)record; word < (uint32_t *)(record + 1); word++)
        *word = (uint32_t)next_random(&state);
      record->kind %= 6;
      if (round % 2) record->detail %= 200;
    }
    struct orderfile_page_record record;
    for (; cpages_next(pages, &place, &record); events++) {
      // The program changes what follows the record after the record was checked: the copy still has an end.
      if (round % 3 == 0) memset(&trace->records[place - 1], 'p', sizeof(struct orderfile_page_record));
      static char path[CPAGES_PATH_SIZE];
      if (cpages_path(pages, place, &record, path, sizeof path)) CHECK(strlen(path) < sizeof path);
      CHECK(!cpages_path(pages, place, &record, path, 0));
      struct orderfile_page_image image = cpages_image(pages, place, &record);
      uint8_t id[sizeof image.id];
      CHECK(cpages_image_id(&image, id) <= sizeof id);
    }
    CHECK(events > 0 && place <= trace->capacity);
  }
  memset(trace->program, 'p', sizeof trace->program);
  static char program[CPAGES_PATH_SIZE];
  cpages_program(pages, program);
  CHECK(strlen(program) == sizeof trace->program);
  trace->next = trace->capacity + 3;
  CHECK(cpages_lost(pages) == 3 && !cpages_was_stopped(pages));
  CHECK(cpages_problem(pages, &error) == ORDERFILE_PAGE_NO_PROBLEM);
  cpages_destroy(pages, descriptor);
}

int main(void) {
  maps();
  states();
  calls();
  records();
  return 0;
}
