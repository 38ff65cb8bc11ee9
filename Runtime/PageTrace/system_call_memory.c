#include "system_call_memory.h"

#if defined(__linux__)
#include <of_attributes.h>
#include <sys/syscall.h>

static const struct {
  int number;
  const char *arguments;
} of_calls[] = {
    {SYS_read, ".b."},
    {SYS_write, ".b."},
    {SYS_pread64, ".b.."},
    {SYS_pwrite64, ".b.."},
    {SYS_readv, ".v."},
    {SYS_writev, ".v."},
    {SYS_preadv, ".v..."},
    {SYS_pwritev, ".v..."},
    {SYS_preadv2, ".v...."},
    {SYS_pwritev2, ".v...."},
    {SYS_sendto, ".b..b."},
    {SYS_recvfrom, ".b..p4"},
    {SYS_sendmsg, ".m."},
    {SYS_recvmsg, ".m."},
    {SYS_connect, ".b."},
    {SYS_bind, ".b."},
    {SYS_setsockopt, "...b."},
    {SYS_getsockopt, "...p4"},
    {SYS_openat, ".s.."},
    {SYS_openat2, ".sb."},
    {SYS_newfstatat, ".sS."},
    {SYS_fstat, ".S"},
    {SYS_statx, ".s..X"},
    {SYS_faccessat, ".s."},
    {SYS_faccessat2, ".s.."},
    {SYS_readlinkat, ".sb."},
    {SYS_unlinkat, ".s."},
    {SYS_mkdirat, ".s."},
    {SYS_mknodat, ".s.."},
    {SYS_linkat, ".s.s."},
    {SYS_symlinkat, "s.s"},
    {SYS_renameat2, ".s.s."},
    {SYS_fchmodat, ".s."},
    {SYS_fchownat, ".s..."},
    {SYS_utimensat, ".sT."},
    {SYS_chdir, "s"},
    {SYS_chroot, "s"},
    {SYS_truncate, "s."},
    {SYS_statfs, "sp"},
    {SYS_getcwd, "b."},
    {SYS_getdents64, ".b."},
    {SYS_getrandom, "b.."},
    {SYS_memfd_create, "s."},
    {SYS_inotify_add_watch, ".s."},
    {SYS_mount, "sss.p"},
    {SYS_umount2, "s."},
    {SYS_getxattr, "ssb."},
    {SYS_setxattr, "ssb.."},
    {SYS_listxattr, "sb."},
    {SYS_sethostname, "b."},
    {SYS_execve, "saa"},
    {SYS_execveat, ".saa."},
    {SYS_uname, "U"},
    {SYS_ppoll, "f.t8."},
    {SYS_epoll_pwait, ".e..8."},
    {SYS_nanosleep, "tt"},
    {SYS_clock_nanosleep, "..tt"},
    {SYS_clock_gettime, ".t"},
    {SYS_gettimeofday, "t8"},
    {SYS_rt_sigaction, ".TT."},
    {SYS_rt_sigprocmask, ".88."},
    {SYS_wait4, ".4.p"},
    {SYS_futex, "4..p4."},
    {SYS_pipe2, "8."},
    {SYS_socketpair, "...8"},
    {SYS_mmap, "......"},
    {SYS_munmap, ".."},
    {SYS_mprotect, "..."},
    {SYS_mremap, "....."},
    {SYS_madvise, "..."},
    {SYS_msync, "..."},
    {SYS_mincore, "..p"},
    {SYS_brk, "."},
    {SYS_lseek, "..."},
    {SYS_close, "."},
    {SYS_exit, "."},
    {SYS_exit_group, "."},
#if defined(__x86_64__)
    {SYS_open, "s.."},
    {SYS_creat, "s."},
    {SYS_stat, "sS"},
    {SYS_lstat, "sS"},
    {SYS_access, "s."},
    {SYS_readlink, "sb."},
    {SYS_unlink, "s"},
    {SYS_mkdir, "s."},
    {SYS_rmdir, "s"},
    {SYS_link, "ss"},
    {SYS_symlink, "ss"},
    {SYS_rename, "ss"},
    {SYS_renameat, ".s.s"},
    {SYS_chmod, "s."},
    {SYS_chown, "s.."},
    {SYS_lchown, "s.."},
    {SYS_mknod, "s.."},
    {SYS_utimes, "sT"},
    {SYS_futimesat, ".sT"},
    {SYS_utime, "st"},
    {SYS_poll, "f.."},
    {SYS_epoll_wait, ".e.."},
    {SYS_pipe, "8"},
    {SYS_time, "8"},
    {SYS_getdents, ".b."},
#endif
};

OF_LOCAL void of_use_string(uint64_t address, const struct orderfile_call_memory *memory) {
  /* One page at a time: the kernel reads no further than the null. */
  for (uint64_t at = address;; at++) {
    char byte;
    if (at == address || at % 4096 == 0) memory->use(memory->context, at, 1);
    if (!memory->read(memory->context, at, &byte, 1) || !byte) return;
  }
}

OF_LOCAL void of_use_vectors(uint64_t address, uint64_t count,
                        const struct orderfile_call_memory *memory) {
  struct {
    uint64_t base, size;
  } vector;
  for (uint64_t i = 0; i < count && i < 1024; i++) { /* UIO_MAXIOV */
    memory->use(memory->context, address + i * sizeof vector, sizeof vector);
    if (!memory->read(memory->context, address + i * sizeof vector, &vector, sizeof vector)) return;
    if (vector.size) memory->use(memory->context, vector.base, vector.size);
  }
}

OF_LOCAL void of_use_strings(uint64_t address, const struct orderfile_call_memory *memory) {
  for (uint64_t at = address;; at += 8) {
    uint64_t string;
    memory->use(memory->context, at, 8);
    if (!memory->read(memory->context, at, &string, 8) || !string) return;
    of_use_string(string, memory);
  }
}

/* <recvmsg(2)>: the name, the vectors, the control message. */
OF_LOCAL void of_use_message(uint64_t address, const struct orderfile_call_memory *memory) {
  uint64_t fields[7];
  memory->use(memory->context, address, sizeof fields);
  if (!memory->read(memory->context, address, fields, sizeof fields)) return;
  uint64_t name_size = fields[1] & 0xffffffff;
  if (fields[0] && name_size) memory->use(memory->context, fields[0], name_size);
  of_use_vectors(fields[2], fields[3], memory);
  if (fields[4] && fields[5]) memory->use(memory->context, fields[4], fields[5]);
}

OF_LOCAL uint64_t of_size_of(char letter, uint64_t next) {
  switch (letter) {
  case 'b': return next;
  case 'f': return (next & 0xffffffff) * 8;
  case 'e': return (next & 0x7fffffff) * 12;
  case '4': return 4;
  case '8': return 8;
  case 't': return 16;
  case 'T': return 32;
  case 'S': return 144;
  case 'X': return 256;
  case 'U': return 390;
  default: return 1;
  }
}

OF_INTERNAL void orderfile_call_memory_used(int64_t number, const uint64_t *arguments,
                                            const struct orderfile_call_memory *memory) {
  const char *letters = "pppppp";
  for (unsigned i = 0; i < sizeof of_calls / sizeof *of_calls; i++)
    if (of_calls[i].number == number) letters = of_calls[i].arguments;
  for (int i = 0; i < 6 && letters[i]; i++) {
    uint64_t address = arguments[i], next = i < 5 ? arguments[i + 1] : 0;
    if (letters[i] == '.' || address == 0) continue;
    switch (letters[i]) {
    case 's': of_use_string(address, memory); break;
    case 'v': of_use_vectors(address, next, memory); break;
    case 'a': of_use_strings(address, memory); break;
    case 'm': of_use_message(address, memory); break;
    default: {
      uint64_t size = of_size_of(letters[i], next);
      if (size) memory->use(memory->context, address, size);
    }
    }
  }
}
#else
OF_INTERNAL void orderfile_call_memory_used(int64_t number, const uint64_t *arguments,
                                            const struct orderfile_call_memory *memory) {
  (void)number, (void)arguments, (void)memory;
}
#endif
