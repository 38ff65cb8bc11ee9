// Makes processes in the way that the first argument names.
#define _GNU_SOURCE
#include <sched.h>
#include <linux/sched.h>
#include <orderfile_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) void
#define BODY __asm__ volatile("")

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
extern char **environ;

STEP before(void) { BODY; }
STEP in_child(void) { BODY; }
STEP in_grandchild(void) { BODY; }
STEP in_parent(void) { BODY; }
STEP in_thread(void) { BODY; }

static int is_over;
static uint32_t spare_guards[2];

static void *spin(void *argument) {
  in_thread();
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
    if (argument) __sanitizer_cov_trace_pc_guard_init(spare_guards, spare_guards + 2);
  return NULL;
}

STEP child(void) {
  in_child();
  before();
  _exit(0);
}

__attribute__((noinline)) int wait_for(pid_t pid) {
  int status = 1;
  waitpid(pid, &status, 0);
  return status;
}

#define RACE(n) \
  __attribute__((noinline)) static void race_##n(void) { __asm__ volatile(""); }
RACE(0) RACE(1) RACE(2) RACE(3)
static void (*volatile const races[4])(void) = {race_0, race_1, race_2, race_3};
static pthread_barrier_t barrier;
__attribute__((no_sanitize("coverage"))) static void *run_race(void *number) {
  pthread_barrier_wait(&barrier);
  races[(intptr_t)number]();
  return NULL;
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "fork";
  pthread_t threads[4];
  int status = 0;
  before();
  if (strcmp(way, "spawned") == 0) child();
  if (strcmp(way, "exec") == 0) {
    int left = count > 2 ? atoi(arguments[2]) : 0;
    char number[8] = {(char)('0' + (left - 1) / 10), (char)('0' + (left - 1) % 10)};
    if (left > 0) execl("/proc/self/exe", arguments[0], "exec", number, NULL);
    in_child();
  } else if (strcmp(way, "fork") == 0) {
    pid_t pid = fork();
    if (pid == 0) child();
    in_parent();
    status = wait_for(pid);
  } else if (strcmp(way, "namesakes") == 0) {
    // The second child has the process number of the first one, which has ended.
    for (pid_t pid = 0, number = 0; number < 2 && status == 0; number++) {
      struct clone_args how = {.exit_signal = SIGCHLD};
      if (number == 1) how.set_tid = (uint64_t)&pid, how.set_tid_size = 1;
      pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof how);
      if (child < 0) return 77;
      if (child == 0) {
        if (number == 0) in_child();
        else in_grandchild();
        _exit(0);
      }
      status = wait_for(child);
      pid = child;
    }
  } else if (strcmp(way, "clone") == 0) {
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) child();
    in_parent();
    status = wait_for(pid);
  } else if (strcmp(way, "vfork") == 0) {
    pid_t pid = vfork();
    if (pid == 0) {
      in_child();
      _exit(0);
    }
    in_parent();
    status = wait_for(pid);
  } else if (strcmp(way, "spawn") == 0) {
    pid_t pid = 0;
    char *const words[] = {arguments[0], "spawned", NULL};
    status = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, environ);
    in_parent();
    status |= wait_for(pid);
  } else if (strcmp(way, "daemon") == 0) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0) return 1;
    pid_t middle = fork();
    if (middle == 0) {
      pid_t parent = getpid();
      if (fork() != 0) _exit(0);
      setsid();
      while (getppid() == parent) usleep(1000);
      if (chdir("/") != 0) _exit(1);
      child();
    }
    close(ends[1]);
    status = wait_for(middle) | (int)read(ends[0], &byte, 1);
    in_parent();
  } else if (strcmp(way, "grandchild") == 0) {
    pid_t pid = fork();
    if (pid == 0) {
      in_child();
      pid_t grandchild = fork();
      if (grandchild == 0) {
        in_grandchild();
        _exit(0);
      }
      _exit(wait_for(grandchild));
    }
    status = wait_for(pid);
  } else if (strcmp(way, "threads") == 0 || strcmp(way, "registering") == 0) {
    void *registers = way[0] == 'r' ? "" : NULL;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, spin, registers);
    for (int i = 0; i < (registers ? 40 : 3); i++) {
      pid_t pid = fork();
      if (pid == 0) {
        in_child();
        exit(0);
      }
      status |= wait_for(pid);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(way, "race") == 0) {
    pid_t pid = fork();
    if (pid == 0) { // its first hits are in several threads at once
      pthread_barrier_init(&barrier, NULL, 4);
      for (intptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_race, (void *)i);
      for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
      _exit(0);
    }
    status = wait_for(pid);
  } else if (strcmp(way, "quiet") == 0) {
    pid_t pid = fork();
    if (pid == 0) exit(0);
    status = wait_for(pid);
  } else if (strcmp(way, "stopped") == 0) {
    orderfile_stop();
    pid_t pid = fork();
    if (pid == 0) child();
    status = wait_for(pid);
  }
  return status != 0;
}
