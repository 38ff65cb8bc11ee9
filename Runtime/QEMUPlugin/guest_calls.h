/* The system calls that change which code a process has, by the numbers of the emulated machine. */
#ifndef OF_GUEST_CALLS_H
#define OF_GUEST_CALLS_H

#include <of_attributes.h>
#include <stdint.h>

enum of_guest_call {
  OF_CALL_OTHER,
  OF_CALL_MAPS,     /* the call may map or unmap a file */
  OF_CALL_EXECVE,   /* it executes the program at the path in the first argument */
  OF_CALL_EXECVEAT, /* the same for the path in the second argument, in the folder, or for the file, of the first one */
};

struct of_guest {
  const char *name; /* QEMU's name for the machine */
  uint32_t machine; /* ELF's e_machine */
  int16_t mmap, munmap, mremap, shmat, shmdt, execve, execveat;
};

/* The machine with that name; NULL if it is not known. */
OF_INTERNAL const struct of_guest *of_guest_named(const char *name);

OF_INTERNAL enum of_guest_call of_guest_call_of(const struct of_guest *guest, int64_t number);

#endif
