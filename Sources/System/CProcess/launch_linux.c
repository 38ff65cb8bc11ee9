#if defined(__linux__)
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cprocess_launch.h"
#include "cprocess_proc.h"
#include "platform.h"

enum belonging { UNKNOWN, OF_LAUNCH, STRANGER };

struct process {
  pid_t pid, parent, group, session;
  enum belonging belonging;
};

struct list {
  struct process *processes; /* ascending by number */
  size_t count, capacity;
};

static bool add(struct list *list, struct process process) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 256;
    struct process *larger = realloc(list->processes, capacity * sizeof *larger);
    if (!larger) return false;
    list->processes = larger;
    list->capacity = capacity;
  }
  list->processes[list->count++] = process;
  return true;
}

static int by_number(const void *a, const void *b) {
  pid_t first = ((const struct process *)a)->pid, second = ((const struct process *)b)->pid;
  return first < second ? -1 : first > second;
}

/* Reads fields 4 to 6 of /proc/PID/stat for all processes. Returns false if /proc can't be read. */
static bool list_processes(struct list *list) {
  DIR *folder = opendir("/proc");
  if (!folder) return false;
  bool is_complete = true;
  for (struct dirent *entry; is_complete && (entry = readdir(folder));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    struct process found = {.pid = (pid_t)atoi(entry->d_name)};
    char text[1024];
    const char *fields = cprocess_read_stat(found.pid, text, sizeof text);
    if (!fields || sscanf(fields, " %*c %d %d %d", &found.parent, &found.group, &found.session) != 3) continue;
    is_complete = add(list, found);
  }
  closedir(folder);
  if (list->count) qsort(list->processes, list->count, sizeof *list->processes, by_number);
  return is_complete && list->count;
}

static struct process *process_numbered(pid_t pid, const struct list *list) {
  struct process wanted = {.pid = pid};
  return bsearch(&wanted, list->processes, list->count, sizeof wanted, by_number);
}

/* Marks PROCESS and its ancestors, up to the first one that is marked. The parents were read at different times, and
 * may form a cycle. */
static void mark(struct process *process, const struct list *list) {
  struct process *end = process;
  while (end && end->belonging == UNKNOWN) {
    end->belonging = STRANGER;
    end = process_numbered(end->parent, list);
  }
  if (!end || end->belonging != OF_LAUNCH) return;
  for (; process != end; process = process_numbered(process->parent, list)) process->belonging = OF_LAUNCH;
}

bool cprocess_each_of_launch(pid_t pid, pid_t tracer, void (*body)(pid_t pid, void *context), void *context) {
  struct list list = {0};
  bool is_known = list_processes(&list);
  pid_t own = getpid();
  for (size_t i = 0; is_known && i < list.count; i++) {
    struct process *process = &list.processes[i];
    bool is_orphan = process->parent == own && process->pid != pid && platform_has_adopted(process->pid);
    if (process->pid == tracer || process->pid == own) process->belonging = STRANGER;
    else if (process->pid == pid || process->group == pid || process->session == pid || is_orphan)
      process->belonging = OF_LAUNCH;
  }
  for (size_t i = 0; is_known && i < list.count; i++) mark(&list.processes[i], &list);
  for (size_t i = 0; is_known && i < list.count; i++)
    if (list.processes[i].belonging == OF_LAUNCH) body(list.processes[i].pid, context);
  free(list.processes);
  return is_known;
}
#endif
