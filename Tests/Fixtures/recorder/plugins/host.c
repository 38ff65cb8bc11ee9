// Does what its arguments say, one after the other:
//   open=PATH        into the next free place, 0, 1, ...
//   reopen=N=PATH    into place N
//   call=N=NAME      a function of the library in place N
//   close=N
//   chdir=PATH, clearenv, stop, fork (goes on in the child, the parent waits)
//   copy=PATH        puts a copy of the file in its place
//   move=FROM=TO     gives the file another name, and removes its folder
//   user=NUMBER      becomes that user
//   mappings=PATH    prints how often the file is mapped, or without one how many mappings there are
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <orderfile_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *libraries[2048];
static int next;

__attribute__((noinline)) static void open_into(int place, const char *path) {
  libraries[place] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!libraries[place]) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    char *word = arguments[i];
    char *first = strchr(word, '=') ? strchr(word, '=') + 1 : word;
    char *second = strchr(first, '=') ? strchr(first, '=') + 1 : first;
    if (strncmp(word, "open=", 5) == 0) open_into(next++, first);
    else if (strncmp(word, "reopen=", 7) == 0) open_into(atoi(first), second);
    else if (strncmp(word, "close=", 6) == 0) dlclose(libraries[atoi(first)]);
    else if (strncmp(word, "chdir=", 6) == 0) { if (chdir(first) != 0) return 1; }
    else if (strcmp(word, "clearenv") == 0) clearenv();
    else if (strcmp(word, "stop") == 0) orderfile_stop();
    else if (strncmp(word, "mappings=", 9) == 0) {
      char line[8192];
      int mappings = 0;
      FILE *maps = fopen("/proc/self/maps", "r");
      while (maps && fgets(line, sizeof line, maps)) mappings += strstr(line, first) != NULL;
      printf("%d\n", mappings);
    }
    else if (strncmp(word, "copy=", 5) == 0) {
      char command[8192];
      snprintf(command, sizeof command, "cp -p '%s' '%s.copy' && mv '%s.copy' '%s'", first, first, first, first);
      if (system(command) != 0) return 1;
    }
    else if (strncmp(word, "move=", 5) == 0) {
      second[-1] = 0;
      if (rename(first, second) != 0 || rmdir(dirname(first)) != 0) return 1;
    } else if (strncmp(word, "user=", 5) == 0) {
      if (setgid((gid_t)atoi(first)) != 0 || setuid((uid_t)atoi(first)) != 0) return 1;
    } else if (strncmp(word, "call=", 5) == 0) {
      void (*function)(void);
      *(void **)&function = dlsym(libraries[atoi(first)], second);
      if (!function) return 1;
      function();
    } else if (strcmp(word, "fork") == 0) {
      int status = 1;
      pid_t pid = fork();
      if (pid != 0) {
        waitpid(pid, &status, 0);
        return status != 0;
      }
    }
  }
  return 0;
}
