// Does what its arguments say, one after the other:
//   run=STAGE        runs the tasks of a stage, and prints how many ran
//   open=PATH        into the next free place, 0, 1, ...
//   close=N          the library in place N
//   handle           prints errors itself
//   threads=STAGE    runs the stage on eight threads, and prints how many tasks ran on all of them
#define _GNU_SOURCE
#include <orderfile_tasks.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(IS_STATIC)
#include <dlfcn.h>
#endif

static void say_c(void) { puts("c"); }
static void say_a(void) { puts("a"); }
static void say_first(void) { puts("first"); }
static void say_last(void) { puts("last"); }
static void say_later(void) { puts("later"); }
ORDERFILE_TASK("launch", "c", say_c)
ORDERFILE_TASK("launch", "a", say_a)
ORDERFILE_TASK_AT("launch", "last in name, first in priority", say_first, -2)
ORDERFILE_TASK_AT("launch", "a, last in priority", say_last, 1000)
ORDERFILE_TASK("later", "a", say_later)

static void run_others(void) {
  puts("others:");
  int count = orderfile_run_tasks("later");
  printf("%d and %d\n", count, orderfile_run_tasks("inner"));
}
static void say_inner(void) { puts("inner"); }
ORDERFILE_TASK("inner", "a", run_others)
ORDERFILE_TASK("inner", "b", say_inner)

static void leave(void) { exit(7); }
ORDERFILE_TASK("exit", "a", leave)

static void say_nothing(void) {}
ORDERFILE_TASK("a stage of 27 bytes in all!", "a task whose name has 47 bytes, the most it has", say_nothing)

static void complain(enum orderfile_task_error error, const struct orderfile_task *task,
                     const char *image) {
  const char *file = strrchr(image, '/');
  printf("error %d: %s, %.48s, %s\n", error, task->stage, task->name, file ? file + 1 : image);
}

#if !defined(IS_STATIC)
static void *libraries[16];
static int next;
static void open_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) puts(dlerror());
  libraries[next++] = library;
}
static void open_plugin(void) {
  puts("opens");
  open_library(getenv("PLUGIN"));
}
ORDERFILE_TASK("open", "a", open_plugin)
static void say_z(void) { puts("z"); }
ORDERFILE_TASK("open", "z", say_z)
#endif

static void *run_on_thread(void *stage) {
  return (void *)(intptr_t)orderfile_run_tasks(stage);
}
static int run_on_threads(char *stage) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  int count = 0;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run_on_thread, stage);
  for (int i = 0; i < THREADS; i++) {
    void *ran;
    pthread_join(threads[i], &ran);
    count += (int)(intptr_t)ran;
  }
  return count;
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < count; i++) {
    char *word = arguments[i];
    char *value = strchr(word, '=') ? strchr(word, '=') + 1 : word;
    if (strncmp(word, "run=", 4) == 0) printf("= %d\n", orderfile_run_tasks(value));
    else if (strcmp(word, "handle") == 0) orderfile_handle_task_errors(complain);
    else if (strncmp(word, "threads=", 8) == 0) printf("= %d\n", run_on_threads(value));
#if !defined(IS_STATIC)
    else if (strncmp(word, "open=", 5) == 0) open_library(value);
    else if (strncmp(word, "close=", 6) == 0) dlclose(libraries[atoi(value)]);
#endif
    else return 64;
  }
  return 0;
}
