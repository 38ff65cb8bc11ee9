#if defined(__linux__)
#define _GNU_SOURCE
#include "trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <of_atomics.h>
#include <orderfile_trace_format.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The file is mapped as large as it can get, and allocated as it grows: an access after its end would raise SIGBUS. The
 * descriptor is closed, because a program may close all descriptors that it does not know. */
enum {
  OF_FIRST_RECORDS = 1 << 17,        /* 5 MiB */
  OF_FIRST_RECORDS_OF_CHILD = 1 << 12, /* a program may have thousands of children */
  OF_MOST_RECORDS = 1 << 25,
};
static const size_t of_mapped_size =
    ORDERFILE_TRACE_HEADER_SIZE + (size_t)OF_MOST_RECORDS * sizeof(orderfile_record);

static const char *of_folder, *of_program;
static uint32_t of_machine;
static char of_path[4096];
static orderfile_trace_header *of_header, *of_first_header; /* NULL before there is one */
static uint32_t of_parent; /* the process that forked this one; 0 for the first process */
static bool of_is_full;

OF_INTERNAL void of_trace_init(const char *folder, const char *program, uint32_t machine) {
  of_folder = folder;
  of_program = program;
  of_machine = machine;
}

/* Nanoseconds since boot. */
OF_LOCAL uint64_t of_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Chooses a name that no trace has yet: process numbers are reused. */
OF_LOCAL bool of_choose_path(void) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    char suffix[48] = "";
    if (of_parent) snprintf(suffix, sizeof suffix, ".%d", (int)getpid());
    if (attempt) snprintf(suffix + strlen(suffix), 8, ".%d", attempt);
    int size = snprintf(of_path, sizeof of_path, "%s/trace%s", of_folder, suffix);
    if (size < 0 || (size_t)size + sizeof ".new" > sizeof of_path) return false;
    if (access(of_path, F_OK) != 0) return true;
  }
  return false;
}

/* Allocates the space of COUNT records; returns 0 or errno. If this exceeds the program's limit for the size of files,
 * the kernel raises a signal, which is dropped. */
OF_LOCAL int of_allocate(int file, uint64_t count) {
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  int error = posix_fallocate(
      file, 0, (off_t)(ORDERFILE_TRACE_HEADER_SIZE + count * sizeof(orderfile_record)));
  if (error == EFBIG) sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

OF_INTERNAL int of_trace_begin(void) {
  if (!of_choose_path()) return ENAMETOOLONG;
  char unfinished[sizeof of_path + 8];
  snprintf(unfinished, sizeof unfinished, "%s.new", of_path);
  int file = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  uint64_t capacity = of_parent ? OF_FIRST_RECORDS_OF_CHILD : OF_FIRST_RECORDS;
  int error = of_allocate(file, capacity);
  void *memory = MAP_FAILED;
  if (!error) {
    memory = mmap(NULL, of_mapped_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  close(file);
  if (!error) {
    static const uint8_t magic[] = ORDERFILE_TRACE_MAGIC_BYTES;
    orderfile_trace_header *header = memory;
    memcpy(header->magic, magic, sizeof magic);
    header->version = ORDERFILE_TRACE_VERSION;
    header->header_size = ORDERFILE_TRACE_HEADER_SIZE;
    header->record_size = sizeof(orderfile_record);
    header->machine = of_machine;
    header->flags = ORDERFILE_TRACE_BREAKPOINTS | ORDERFILE_TRACE_EMULATED |
                    (of_parent ? ORDERFILE_TRACE_FORKED : 0);
    header->pid = (uint32_t)getpid();
    header->parent_pid = of_parent;
    uint64_t now = of_now();
    header->ticks_per_second = 1000000000;
    header->first_pair = header->last_pair = (orderfile_clock_pair){now, now};
    header->capacity = header->demand = capacity;
    header->next_image = 1;
    strncpy((char *)header->program, of_program, sizeof header->program - 1);
    if (rename(unfinished, of_path) == 0) {
      of_header = header;
      if (!of_first_header) of_first_header = header;
      of_is_full = false;
      return 0;
    }
    error = errno;
  }
  if (memory != MAP_FAILED) munmap(memory, of_mapped_size);
  unlink(unfinished);
  return error;
}

/* relaxed: the command stores it at any time, and publishes nothing with it */
OF_LOCAL bool of_was_ended(orderfile_trace_header *header) {
  return header && of_load_relaxed(&header->state) != ORDERFILE_STATE_RECORDING;
}

OF_INTERNAL bool of_trace_was_ended(void) {
  return of_was_ended(of_header) || of_was_ended(of_first_header);
}

OF_INTERNAL bool of_trace_is_open(void) { return of_header && !of_trace_was_ended(); }

OF_INTERNAL void of_trace_forked(void) {
  if (of_header) of_parent = of_header->pid;
  of_header = NULL; /* the child does not use the mapping, which is the parent's */
}

/* Whether there is room for COUNT records. */
OF_LOCAL bool of_has_room(uint64_t count) {
  uint64_t capacity = of_header->capacity;
  if (of_header->next_record + count <= capacity) return true;
  if (of_is_full || capacity * 2 > OF_MOST_RECORDS) return false;
  /* The program may have changed its root folder, its rights, or its limits. */
  int file = open(of_path, O_RDWR | O_CLOEXEC);
  struct stat status;
  bool is_ours = file >= 0 && fstat(file, &status) == 0 && status.st_nlink > 0;
  bool has_grown = is_ours && of_allocate(file, capacity * 2) == 0;
  if (file >= 0) close(file);
  of_is_full = !has_grown;
  if (has_grown) of_header->capacity = of_header->demand = capacity * 2;
  return has_grown;
}

OF_INTERNAL void of_trace_add(uint32_t kind, uint64_t subject, uint64_t second, uint64_t entry,
                              uint32_t thread, const void *content, size_t size) {
  uint64_t parts = (size + ORDERFILE_CONTENT_BYTES - 1) / ORDERFILE_CONTENT_BYTES;
  if (!of_has_room(1 + parts)) {
    of_trace_lose();
    return;
  }
  orderfile_record *record = (orderfile_record *)((char *)of_header + ORDERFILE_TRACE_HEADER_SIZE) +
                             of_header->next_record;
  for (uint64_t i = 0; i < parts; i++) {
    orderfile_content *part = (orderfile_content *)(record + 1 + i);
    size_t from = i * ORDERFILE_CONTENT_BYTES;
    size_t rest = size - from;
    memcpy(part->bytes, (const char *)content + from,
           rest < ORDERFILE_CONTENT_BYTES ? rest : ORDERFILE_CONTENT_BYTES);
    part->kind = ORDERFILE_RECORD_CONTENT;
  }
  record->subject = subject;
  record->block_size = second;
  record->entry = entry;
  record->ticks = of_now();
  record->thread = thread;
  of_store_release(&record->kind, kind); /* release: the fields; pairs with a reader of the file */
  of_store_release(&of_header->next_record, of_header->next_record + 1 + parts); /* release: as above */
}

OF_INTERNAL void of_trace_lose(void) {
  orderfile_trace_header *header = of_header ? of_header : of_first_header;
  if (header) of_fetch_add_relaxed(&header->lost_records, 1); /* relaxed: a count, of several processes */
}

OF_INTERNAL uint64_t of_trace_next_image(void) { return of_header->next_image++; }

#endif
