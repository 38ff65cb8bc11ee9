/* Runs registered tasks (orderfile_tasks.h).
 *
 * A call collects the tasks of its stage from the loaded images, in order, and then runs them. A table notes each task
 * by two keys before a thread runs it: the thread that adds the first key runs the task, so no lock is needed, and a
 * task that throws, exits or never returns leaves nothing in a wrong state. If the loaded images change while a task
 * runs, the tasks are collected again.
 *
 * Several images may contain this file. They use the table of the first image that has one, so that a task runs once in
 * the process. That image has to stay loaded.
 *
 * The file is self-contained and needs no immunity from the flags of an instrumented build: it is code of the app. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "orderfile_tasks.h"

#include <orderfile_runtime.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OF_KEYS = 4096, OF_MOST_QUEUED = 128 };

/* The tasks that the process has run. Other images and the stage tracer find the table by a note (ELF) or a section
 * (Mach-O). A table of another layout needs another type of the note than 2, and another name of the section. */
struct of_task_table {
  /* Called with the name of each mark; NULL without a stage tracer. */
  void (*observer)(const char *mark);
  /* Up to two keys of each task, in no order. The first 0 ends the keys in use. */
  uint64_t keys[OF_KEYS];
};

__attribute__((visibility("hidden"))) struct of_task_table of_task_table;

struct of_queued_task {
  const struct orderfile_task *task;
  uint64_t place; /* the distance from the begin of the image */
  uint64_t image; /* a hash of the image's ID */
  const char *path;
};

/* The tasks of a stage that have not run, in the order in which they run; at most the first OF_MOST_QUEUED. */
struct of_queue {
  const char *stage;
  struct of_task_table *table;
  uint64_t generation; /* of_generation() before the tasks were collected */
  unsigned count;
  struct of_queued_task tasks[OF_MOST_QUEUED];
};

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t of_hash(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  return hash;
}

static const uint64_t of_no_bytes = 0xcbf29ce484222325;

/* The key of a stage and a name in an image. */
static uint64_t of_key_of_name(const struct of_queued_task *queued) {
  const struct orderfile_task *task = queued->task;
  uint64_t hash = of_hash(queued->image, task->stage, strlen(task->stage) + 1);
  return of_hash(hash, task->name, strnlen(task->name, sizeof task->name)) | 1;
}

/* The key of one registration. It is even, so it differs from all keys of names, which are odd. */
static uint64_t of_key_of_registration(const struct of_queued_task *queued) {
  return (of_hash(of_key_of_name(queued), &queued->place, sizeof queued->place) | 1) << 1;
}

enum of_addition { OF_IS_ADDED, OF_WAS_THERE, OF_HAS_NO_ROOM };

static enum of_addition of_add(struct of_task_table *table, uint64_t key) {
  for (unsigned i = 0; i < OF_KEYS; i++) {
    uint64_t found = 0;
    /* relaxed: a key that is added publishes nothing but itself */
    if (__atomic_compare_exchange_n(&table->keys[i], &found, key, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return OF_IS_ADDED;
    if (found == key) return OF_WAS_THERE;
  }
  return OF_HAS_NO_ROOM;
}

static bool of_has(struct of_task_table *table, uint64_t key) {
  for (unsigned i = 0; i < OF_KEYS; i++) {
    uint64_t found = __atomic_load_n(&table->keys[i], __ATOMIC_RELAXED); /* relaxed: see of_add */
    if (found == key || !found) return found == key;
  }
  return false;
}

/* Tasks with equal priority and name stay in the order in which they are collected. */
static bool of_comes_before(const struct orderfile_task *task, const struct orderfile_task *other) {
  if (task->priority != other->priority) return task->priority < other->priority;
  return strncmp(task->name, other->name, sizeof task->name) < 0;
}

static void of_enqueue(struct of_queue *queue, const struct of_queued_task *queued) {
  unsigned place = queue->count;
  while (place > 0 && of_comes_before(queued->task, queue->tasks[place - 1].task)) place--;
  if (place == OF_MOST_QUEUED) return; /* the next collection finds it */
  if (queue->count < OF_MOST_QUEUED) queue->count++;
  for (unsigned i = queue->count - 1; i > place; i--) queue->tasks[i] = queue->tasks[i - 1];
  queue->tasks[place] = *queued;
}

/* Adds the tasks of one image. START and END are the bounds of its section; BASE is where the image begins. */
static void of_collect_section(struct of_queue *queue, const char *start, const char *end,
                               uintptr_t base, uint64_t image, const char *path) {
  size_t stage_size = strlen(queue->stage) + 1;
  if (stage_size > ORDERFILE_TASK_STAGE_SIZE) return;
  while ((size_t)(end - start) >= sizeof(struct orderfile_task)) {
    const struct orderfile_task *task = (const struct orderfile_task *)(const void *)start;
    if (task->size == 0) { /* padding */
      start += 8;
      continue;
    }
    /* A size that no version has: the rest can't be read. */
    if (task->size < sizeof *task || task->size % 8 || task->size > (size_t)(end - start)) return;
    start += task->size;
    if (memcmp(task->stage, queue->stage, stage_size) != 0) continue;
    const struct of_queued_task queued = {task, (uintptr_t)task - base, image, path};
    if (!of_has(queue->table, of_key_of_registration(&queued))) of_enqueue(queue, &queued);
  }
}

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <mach-o/loader.h>

static struct of_task_table *const of_table_pointer
    __attribute__((used, section("__DATA,__of_tasktable"))) = &of_task_table;

/* Where the sections of an image are in memory. getsectiondata would walk the load commands once for each section, and
 * does not find the image's ID. */
struct of_image {
  const char *tasks, *tasks_end;
  struct of_task_table *table; /* NULL if the image does not contain this file */
  uint64_t id;
};

static void of_read_segment(struct of_image *image, const struct segment_command_64 *segment,
                            uintptr_t slide) {
  const struct section_64 *section = (const struct section_64 *)(segment + 1);
  for (uint32_t i = 0; i < segment->nsects; i++, section++) {
    if (strncmp(section->segname, "__DATA", sizeof section->segname) != 0) continue;
    const char *start = (const char *)(section->addr + slide);
    if (strncmp(section->sectname, "__of_tasks", sizeof section->sectname) == 0) {
      image->tasks = start;
      image->tasks_end = start + section->size;
    }
    if (strncmp(section->sectname, "__of_tasktable", sizeof section->sectname) == 0)
      image->table = *(struct of_task_table *const *)(const void *)start;
  }
}

static void of_read_image(struct of_image *image, const struct mach_header_64 *header,
                          uintptr_t slide, const char *path) {
  memset(image, 0, sizeof *image);
  image->id = of_hash(of_no_bytes, path, strlen(path)); /* the ID of an image without a UUID */
  const char *command = (const char *)(header + 1);
  for (uint32_t i = 0; i < header->ncmds; i++) {
    const struct load_command *each = (const struct load_command *)(const void *)command;
    if (each->cmd == LC_SEGMENT_64)
      of_read_segment(image, (const struct segment_command_64 *)(const void *)command, slide);
    if (each->cmd == LC_UUID) image->id = of_hash(of_no_bytes, command + sizeof *each, 16);
    command += each->cmdsize;
  }
}

/* Reads image NUMBER; false if it is one of the system's, which are in dyld's cache and have no tasks. */
static bool of_read_image_at(struct of_image *image, uint32_t number) {
  const struct mach_header *header = _dyld_get_image_header(number);
  if (!header || header->magic != MH_MAGIC_64 || (header->flags & MH_DYLIB_IN_CACHE)) return false;
  const char *path = _dyld_get_image_name(number);
  of_read_image(image, (const struct mach_header_64 *)(const void *)header,
                (uintptr_t)_dyld_get_image_vmaddr_slide(number), path ? path : "");
  return true;
}

static uint64_t of_generation(void) {
  uint32_t count = _dyld_image_count();
  const void *last = count ? _dyld_get_image_header(count - 1) : NULL;
  return of_hash(of_hash(of_no_bytes, &count, sizeof count), &last, sizeof last);
}

static void of_collect(struct of_queue *queue) {
  struct of_image image;
  queue->generation = of_generation();
  uint32_t count = _dyld_image_count();
  queue->table = NULL;
  for (uint32_t i = 0; i < count && !queue->table; i++)
    if (of_read_image_at(&image, i)) queue->table = image.table;
  if (!queue->table) queue->table = &of_task_table; /* dyld does not list this image yet */
  for (uint32_t i = 0; i < count; i++) {
    if (!of_read_image_at(&image, i) || !image.tasks) continue;
    const char *path = _dyld_get_image_name(i);
    of_collect_section(queue, image.tasks, image.tasks_end,
                       (uintptr_t)_dyld_get_image_header(i), image.id, path ? path : "");
  }
}
#else
#include <elf.h>
#include <link.h>

/* The note of ORDERFILE_TASK, for registrations in other languages, which can't make a note. It needs a section also in
 * an image without tasks: this is padding. */
ORDERFILE_TASK_NOTE
static uint64_t of_padding __attribute__((used, aligned(8), ORDERFILE_TASK_PLACE)) = 0;

/* The note by which images find the table: the distance from the number to the table. */
__asm__(
    ".pushsection .note.orderfile.tasks,\"a\",%note\n"
    ".balign 4\n"
    ".long 10, 4, 2\n"
    ".asciz \"orderfile\"\n"
    ".balign 4\n"
    ".long of_task_table - .\n"
    ".popsection\n");

enum { OF_NOTE_OF_TASKS = 1, OF_NOTE_OF_TABLE = 2 };

/* Returns the contents of an image's first note with that owner and type, of at least SIZE bytes; NULL if there is
 * none. A note is (namesz, descsz, type, name, desc), each part padded: elf(5), "Notes". mold puts notes of different
 * padding into one segment, so the notes are not read one after the other: each word can begin one. */
static const char *of_find_note(const struct dl_phdr_info *info, const char *owner, uint32_t type,
                                uint32_t size, uint32_t *found) {
  uint32_t owner_size = (uint32_t)strlen(owner) + 1, before = (sizeof(ElfW(Nhdr)) + owner_size + 3) & ~3u;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char *bytes = (const char *)(info->dlpi_addr + segment->p_vaddr);
    for (uint64_t place = 0; place + before + size <= segment->p_memsz; place += 4) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)(bytes + place);
      if (note->n_type != type || note->n_namesz != owner_size || note->n_descsz < size ||
          note->n_descsz > segment->p_memsz - place - before)
        continue;
      if (memcmp(note + 1, owner, owner_size) != 0) continue;
      *found = note->n_descsz;
      return bytes + place + before;
    }
  }
  return NULL;
}

/* Returns the address that a number of a note states: the distance from the number. */
static const char *of_target(const char *number) {
  int32_t distance;
  memcpy(&distance, number, sizeof distance);
  return number + distance;
}

/* The hash of an image's build ID. Without a build ID, two images with equal headers are told apart by their paths. */
static uint64_t of_image_hash(const struct dl_phdr_info *info) {
  uint32_t size;
  const char *id = of_find_note(info, "GNU", NT_GNU_BUILD_ID, 1, &size);
  if (id) return of_hash(of_no_bytes, id, size);
  uint64_t hash = of_hash(of_no_bytes, info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
  return of_hash(hash, info->dlpi_name, strlen(info->dlpi_name));
}

static int of_find_table(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  uint32_t found;
  const char *note = of_find_note(info, "orderfile", OF_NOTE_OF_TABLE, 4, &found);
  if (!note) return 0;
  *(struct of_task_table **)context = (struct of_task_table *)(uintptr_t)of_target(note);
  return 1;
}

static int of_collect_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  uint32_t found;
  const char *note = of_find_note(info, "orderfile", OF_NOTE_OF_TASKS, 8, &found);
  if (!note) return 0;
  of_collect_section((struct of_queue *)context, of_target(note), of_target(note + 4),
                     (uintptr_t)info->dlpi_addr, of_image_hash(info), info->dlpi_name);
  return 0;
}

static int of_read_generation(struct dl_phdr_info *info, size_t size, void *context) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *(uint64_t *)context = (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
  return 1; /* the numbers are the same for each image */
}

/* A number that grows when an image is loaded or unloaded. */
static uint64_t of_generation(void) {
  uint64_t generation = 0;
  dl_iterate_phdr(of_read_generation, &generation);
  return generation;
}

static void of_collect(struct of_queue *queue) {
  queue->generation = of_generation();
  queue->table = &of_task_table;
  dl_iterate_phdr(of_find_table, &queue->table);
  dl_iterate_phdr(of_collect_image, queue);
}
#endif

static void (*of_handler)(enum orderfile_task_error error, const struct orderfile_task *task,
                          const char *image);

void orderfile_handle_task_errors(void (*handler)(enum orderfile_task_error error,
                                                  const struct orderfile_task *task,
                                                  const char *image)) {
  __atomic_store_n(&of_handler, handler, __ATOMIC_RELEASE); /* release: pairs with the acquire in of_report */
}

static void of_report(enum orderfile_task_error error, const struct of_queued_task *queued) {
  static const char *const reasons[] = {
      "", " already has a task of this stage and name",
      " registers it in a way that this version of orderfile_tasks does not know",
      ": the process has run 2048 tasks, and more can't be noted"};
  const char *path = queued->path[0] ? queued->path : "the program";
  void (*handler)(enum orderfile_task_error, const struct orderfile_task *, const char *) =
      __atomic_load_n(&of_handler, __ATOMIC_ACQUIRE); /* acquire: pairs with orderfile_handle_task_errors */
  if (handler) {
    handler(error, queued->task, path);
    return;
  }
  const struct orderfile_task *task = queued->task;
  const char *const texts[] = {"orderfile: error: task '", task->name, "' of stage '", task->stage,
                               "' does not run: ", path, reasons[error], "\n"};
  enum { OF_TEXTS = sizeof texts / sizeof *texts };
  struct iovec parts[OF_TEXTS];
  for (int i = 0; i < OF_TEXTS; i++) {
    parts[i].iov_base = (void *)(uintptr_t)texts[i];
    parts[i].iov_len = i == 1 ? strnlen(task->name, sizeof task->name) : strlen(texts[i]);
  }
  if (writev(STDERR_FILENO, parts, OF_TEXTS) < 0) return; /* nobody listens */
}

/* A stage with " of " in its name is quoted, so that readers find where the name of the task ends. */
static void of_mark(const struct of_task_table *table, const char *begin,
                    const struct orderfile_task *task) {
  char mark[16 + ORDERFILE_TASK_NAME_SIZE + ORDERFILE_TASK_STAGE_SIZE];
  bool is_quoted = strstr(task->stage, " of ") != NULL;
  const char *const texts[] = {begin, task->name, is_quoted ? " of \"" : " of ", task->stage,
                               is_quoted ? "\"" : ""};
  char *end = mark;
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    for (const char *from = texts[i]; *from; from++) *end++ = *from;
  *end = 0;
  orderfile_mark(mark);
  if (table->observer) table->observer(mark);
}

/* Returns 1 if this call has run the task, 0 if another call has or if the task is an error, and -1 if there is no room
 * to note it. */
static int of_run(struct of_task_table *table, const struct of_queued_task *queued) {
  const struct orderfile_task *task = queued->task;
  enum of_addition addition = of_add(table, of_key_of_registration(queued));
  if (addition == OF_WAS_THERE) return 0;
  bool is_known = task->version == ORDERFILE_TASK_VERSION && task->flags == 0 &&
                  strnlen(task->name, sizeof task->name) < sizeof task->name;
  if (addition == OF_IS_ADDED && !is_known) {
    of_report(ORDERFILE_TASK_IS_UNKNOWN, queued);
    return 0;
  }
  if (addition == OF_IS_ADDED) addition = of_add(table, of_key_of_name(queued));
  if (addition == OF_HAS_NO_ROOM) {
    of_report(ORDERFILE_TASKS_ARE_TOO_MANY, queued);
    return -1;
  }
  if (addition == OF_WAS_THERE) {
    of_report(ORDERFILE_TASK_IS_DUPLICATE, queued);
    return 0;
  }
  of_mark(table, "begin task ", task);
  task->function();
  of_mark(table, "end task ", task);
  return 1;
}

int orderfile_run_tasks(const char *stage) {
  int count = 0;
  struct of_queue queue;
  queue.stage = stage;
  for (;;) {
    queue.count = 0;
    of_collect(&queue);
    if (queue.count == 0) return count;
    for (unsigned i = 0; i < queue.count; i++) {
      /* A task may have loaded an image, whose tasks are to come in between, or unloaded one. */
      if (i > 0 && of_generation() != queue.generation) break;
      int ran = of_run(queue.table, &queue.tasks[i]);
      if (ran < 0) return count;
      count += ran;
    }
  }
}
