#if defined(__linux__)
/* Finds out whether all threads of a launch sleep. The work that a sleeping launch has done does not depend on when it
 * is observed. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cprocess_proc.h"
#include "cprocess_ready.h"

enum { MOST_PROCESSES = 4096 };

struct process {
  pid_t pid, parent, group, session;
  bool is_of_launch;
};

static bool is_number(const char *name) { return isdigit((unsigned char)name[0]); }

/* Reads fields 4 to 6 of /proc/PID/stat for all processes. Returns their number, or -1 if there are more than
 * MOST_PROCESSES. */
static int list_processes(struct process *processes) {
  DIR *folder = opendir("/proc");
  if (!folder) return -1;
  int count = 0;
  for (struct dirent *entry; count >= 0 && (entry = readdir(folder));) {
    if (!is_number(entry->d_name)) continue;
    struct process found = {.pid = (pid_t)atoi(entry->d_name)};
    char text[1024];
    const char *fields = cprocess_read_stat(found.pid, text, sizeof text);
    if (!fields || sscanf(fields, " %*c %d %d %d", &found.parent, &found.group, &found.session) != 3) continue;
    if (count == MOST_PROCESSES) count = -1;
    else processes[count++] = found;
  }
  closedir(folder);
  return count;
}

/* Returns the process that gets orphans which have left the launch's group: this process, if it adopts orphans; else 0. */
static pid_t adopter(void) {
  int adopts = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &adopts);
  return adopts ? getpid() : 0;
}

static void mark_launch(struct process *processes, int count, pid_t pid, pid_t other) {
  pid_t adopting = adopter();
  for (int i = 0; i < count; i++) {
    struct process *process = &processes[i];
    bool is_orphan = adopting && process->parent == adopting && process->pid > pid && process->pid != other;
    process->is_of_launch = process->pid == pid || process->group == pid || process->session == pid || is_orphan;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < count && !processes[i].is_of_launch; k++)
        if (processes[k].is_of_launch && processes[k].pid == processes[i].parent)
          changes = processes[i].is_of_launch = true;
  }
}

/* Returns the number after NAME in TEXT, from /proc/PID/task/TID/status; 0 if NAME is missing. <proc_pid_status(5)> */
static unsigned long long value(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Returns whether all threads of PID sleep. Adds 1 + the number of context switches of each thread to *SWITCHES. */
static bool sleeps(pid_t pid, uint64_t *switches) {
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
  DIR *folder = opendir(name);
  if (!folder) return true;
  bool all_sleep = true;
  for (struct dirent *entry; all_sleep && (entry = readdir(folder));) {
    if (!is_number(entry->d_name)) continue;
    snprintf(name, sizeof name, "task/%.20s/status", entry->d_name);
    const char *state = cprocess_read_proc(pid, name, text, sizeof text) ? strstr(text, "\nState:\t") : NULL;
    if (!state) continue;
    state += strlen("\nState:\t");
    if (*state == 'Z' || *state == 'X') continue;
    all_sleep = *state == 'S';
    *switches += 1 + value(text, "\nvoluntary_ctxt_switches:\t") + value(text, "\nnonvoluntary_ctxt_switches:\t");
  }
  closedir(folder);
  return all_sleep;
}

bool cprocess_launch_sleeps(pid_t pid, pid_t tracer, uint64_t *switches) {
  *switches = 0;
  struct process *processes = calloc(MOST_PROCESSES, sizeof *processes);
  int count = processes ? list_processes(processes) : -1;
  bool all_sleep = count >= 0;
  if (all_sleep) mark_launch(processes, count, pid, tracer);
  for (int i = 0; i < count && all_sleep; i++)
    if (processes[i].is_of_launch) all_sleep = sleeps(processes[i].pid, switches);
  free(processes);
  return all_sleep;
}
#endif
