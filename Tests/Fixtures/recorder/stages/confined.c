// A program that forbids itself all system calls except write and exit, and then returns from main. With the argument
// "stop" it first calls orderfile_stop().
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <orderfile_runtime.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

__attribute__((noinline)) void late(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  int stops = count > 1 && strcmp(arguments[1], "stop") == 0;
  if (stops) orderfile_stop();
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 77;
  late();
  if (stops) orderfile_mark("behind the end");
  return 5;
}
