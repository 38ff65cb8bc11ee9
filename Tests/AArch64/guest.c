#define _GNU_SOURCE
#include "guest.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct function {
  uint64_t address;
  const char *name;
};

static int by_address_and_name(const void *a, const void *b) {
  const struct function *x = a, *y = b;
  return x->address != y->address ? (x->address < y->address ? -1 : 1) : strcmp(x->name, y->name);
}

/* Appends the functions of all symbol tables of FILE to FOUND, if that is not NULL; returns how many. */
static int functions(const unsigned char *file, struct function *found) {
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
  int count = 0;
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) continue;
    const Elf64_Sym *symbols = (const void *)(file + sections[i].sh_offset);
    const char *names = (const char *)(file + sections[sections[i].sh_link].sh_offset);
    for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++) {
      int type = ELF64_ST_TYPE(symbols[j].st_info), section = symbols[j].st_shndx;
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || section == SHN_UNDEF || section >= SHN_LORESERVE)
        continue;
      if (found) found[count] = (struct function){symbols[j].st_value, names + symbols[j].st_name};
      count++;
    }
  }
  return count;
}

static struct guest_image *read_image(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return NULL;
  const unsigned char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (file == MAP_FAILED || memcmp(file, ELFMAG, SELFMAG) != 0) return NULL;

  int all = functions(file, NULL), count = 0;
  struct function *found = calloc((size_t)all + 1, sizeof *found);
  functions(file, found);
  qsort(found, (size_t)all, sizeof *found, by_address_and_name);
  uint64_t *addresses = calloc((size_t)all + 1, sizeof *addresses);
  const char **names = calloc((size_t)all + 1, sizeof *names);
  bool *are_ours = calloc((size_t)all + 1, sizeof *are_ours);
  for (int i = 0; i < all; i++) {
    if (i > 0 && found[i].address == found[i - 1].address) continue;
    addresses[count] = found[i].address;
    names[count] = found[i].name;
    are_ours[count++] = strncmp(found[i].name, "step_", 5) == 0 || strncmp(found[i].name, "race_", 5) == 0;
  }
  free(found);

  struct guest_image *image = calloc(1, sizeof *image);
  *image = (struct guest_image){
      .path = strdup(path), .functions = addresses, .names = names, .are_ours = are_ours,
      .function_count = count};
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
  bool has_start = false;
  for (int i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type != PT_LOAD) continue;
    if (!has_start) image->start = segments[i].p_vaddr & ~UINT64_C(4095);
    has_start = true;
    if (!(segments[i].p_flags & PF_X)) continue;
    image->file_offset = segments[i].p_offset;
    image->address = segments[i].p_vaddr;
    image->size = segments[i].p_memsz;
  }
  return image;
}

const struct guest_image *guest_image(const char *path) {
  static struct guest_image *known[16];
  for (int i = 0; i < 16; i++) {
    if (!known[i]) return known[i] = read_image(path);
    if (strcmp(known[i]->path, path) == 0) return known[i];
  }
  return NULL;
}

uint64_t guest_function(const struct guest_image *image, const char *name) {
  for (int i = 0; i < image->function_count; i++)
    if (strcmp(image->names[i], name) == 0) return image->functions[i];
  return 0;
}

void guest_block_trap(bool is_blocked) {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(is_blocked ? SIG_BLOCK : SIG_UNBLOCK, &trap, NULL);
}

static void run(const char *program, const char *scene) {
  execl(program, program, scene, NULL);
  _exit(127);
}

pid_t guest_start(const char *program, const char *scene) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ready[1], 3);
    run(program, scene);
  }
  close(ready[1]);
  pid_t ignored;
  if (read(ready[0], &ignored, sizeof ignored) != sizeof ignored) pid = -1;
  close(ready[0]);
  return pid;
}

void guest_record(const char *scene) {
  pid_t pid = fork();
  if (pid == 0) {
    setenv("ORDERFILE_TRACE", "/trace", 1);
    run("/recorded", scene);
  }
  int status;
  waitpid(pid, &status, 0);
  printf("launch /recorded %s\nstatus %d\n", scene,
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  FILE *file = fopen("/trace", "rb");
  if (!file) return;
  static const unsigned char zeros[32];
  unsigned char part[32];
  size_t offset = 0;
  for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0; offset += size) {
    if (memcmp(part, zeros, size) == 0) continue;
    printf("trace %zx ", offset);
    for (size_t i = 0; i < size; i++) printf("%02x", part[i]);
    printf("\n");
  }
  printf("size %zu\n", offset);
  fclose(file);
}

static bool is_traced(pid_t pid) {
  char path[32], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  int tracer = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "TracerPid: %d", &tracer) == 1) break;
  if (file) fclose(file);
  return tracer != 0;
}

/* Whether the code in the memory of process PID, which runs /static, equals the code in the file. */
static bool has_its_code(pid_t pid) {
  const struct guest_image *image = guest_image("/static");
  char path[32], *stated = malloc(image->size), *loaded = malloc(image->size);
  snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
  int file = open(image->path, O_RDONLY | O_CLOEXEC), memory = open(path, O_RDONLY | O_CLOEXEC);
  bool is_same = pread(file, stated, image->size, (off_t)image->file_offset) == (ssize_t)image->size &&
                 pread(memory, loaded, image->size, (off_t)image->address) == (ssize_t)image->size &&
                 memcmp(stated, loaded, image->size) == 0;
  close(file);
  close(memory);
  free(stated);
  free(loaded);
  return is_same;
}

/* Whether all of the code of process PID may be executed, <proc_pid_maps(5)>. */
static bool has_its_protection(pid_t pid) {
  const struct guest_image *image = guest_image("/static");
  char path[32], line[256], access[5];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *file = fopen(path, "r");
  bool is_whole = false;
  unsigned long start, end;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%lx-%lx %4s", &start, &end, access) == 3 && access[2] == 'x')
      is_whole |= start <= image->address && image->address + image->size <= end;
  if (file) fclose(file);
  return is_whole;
}

static void say_what_it_has(const char *when, pid_t program) {
  printf("%s: its code %s, its protection %s\n", when, has_its_code(program) ? "yes" : "no",
         has_its_protection(program) ? "yes" : "no");
}

void guest_outlives_command(void (*trace)(void)) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return;
  fflush(stdout);
  pid_t command = fork();
  if (command == 0) {
    dup2(ready[1], 3);
    trace();
    _exit(0);
  }
  close(ready[1]);
  pid_t program = 0;
  ssize_t size = read(ready[0], &program, sizeof program);
  close(ready[0]);
  if (size != sizeof program || !is_traced(program)) {
    printf("nothing is traced\n");
    return;
  }
  say_what_it_has("traced", program);
  kill(command, SIGKILL);
  waitpid(command, NULL, 0);
  for (int i = 0; is_traced(program) && i < 60000; i++) usleep(10000);
  say_what_it_has("left", program);
  kill(program, SIGUSR1); /* the program ends by a function that it has not run before */
  printf("outlives the command: %s\n", is_traced(program) ? "no" : "yes");
  char path[32];
  snprintf(path, sizeof path, "/proc/%d", (int)program);
  for (int i = 0; access(path, F_OK) == 0 && i < 60000; i++) usleep(10000);
}
