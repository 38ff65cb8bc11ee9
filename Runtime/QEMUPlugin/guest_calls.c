#if defined(__linux__)
#include "guest_calls.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* <syscalls(2)>: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux */
#define OF_GENERIC_NUMBERS 222, 215, 216, 196, 197, 221, 281
static const struct of_guest of_guests[] = {
    {"x86_64", EM_X86_64, 9, 11, 25, 30, 67, 59, 322},
    {"aarch64", EM_AARCH64, OF_GENERIC_NUMBERS},
    {"riscv64", EM_RISCV, OF_GENERIC_NUMBERS},
};

OF_INTERNAL const struct of_guest *of_guest_named(const char *name) {
  for (size_t i = 0; i < sizeof of_guests / sizeof *of_guests; i++) {
    if (strcmp(of_guests[i].name, name) == 0) return &of_guests[i];
  }
  return NULL;
}

OF_INTERNAL enum of_guest_call of_guest_call_of(const struct of_guest *guest, int64_t number) {
  if (number == guest->execve) return OF_CALL_EXECVE;
  if (number == guest->execveat) return OF_CALL_EXECVEAT;
  if (number == guest->mmap || number == guest->munmap || number == guest->mremap ||
      number == guest->shmat || number == guest->shmdt) {
    return OF_CALL_MAPS;
  }
  return OF_CALL_OTHER;
}

#endif
