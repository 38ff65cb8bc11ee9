#if defined(__linux__)
/* Finds out whether all threads of a launch sleep. The work that a sleeping launch has done does not depend on when it
 * is observed. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cprocess_launch.h"
#include "cprocess_proc.h"
#include "cprocess_ready.h"

struct sleep {
  bool all_sleep;
  uint64_t switches;
};

/* Returns the number after NAME in TEXT, from /proc/PID/task/TID/status; 0 if NAME is missing. <proc_pid_status(5)> */
static unsigned long long value(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Notes whether all threads of PID sleep. Adds 1 + the number of context switches of each thread. */
static void look(pid_t pid, void *context) {
  struct sleep *sleep = context;
  if (!sleep->all_sleep) return;
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
  DIR *folder = opendir(name);
  if (!folder) return;
  for (struct dirent *entry; sleep->all_sleep && (entry = readdir(folder));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(name, sizeof name, "task/%.20s/status", entry->d_name);
    const char *state = cprocess_read_proc(pid, name, text, sizeof text) ? strstr(text, "\nState:\t") : NULL;
    if (!state) continue;
    state += strlen("\nState:\t");
    if (*state == 'Z' || *state == 'X') continue;
    sleep->all_sleep = *state == 'S';
    sleep->switches += 1 + value(text, "\nvoluntary_ctxt_switches:\t") + value(text, "\nnonvoluntary_ctxt_switches:\t");
  }
  closedir(folder);
}

bool cprocess_launch_sleeps(pid_t pid, pid_t tracer, uint64_t *switches) {
  struct sleep sleep = {.all_sleep = true};
  cprocess_each_of_launch(pid, tracer, look, &sleep);
  *switches = sleep.switches;
  return sleep.all_sleep;
}
#endif
