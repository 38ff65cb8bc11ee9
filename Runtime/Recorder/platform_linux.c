/* platform.h for Linux, x86-64 and aarch64, with glibc, musl or bionic. */
#if defined(__linux__)
#define _GNU_SOURCE /* O_NOFOLLOW, MADV_WIPEONFORK */
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <of_atomics.h>
#include <of_bytes.h>
#include <orderfile_runtime.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <time.h>

#include <of_linux_syscall.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#define OF_IOC_SETFLAGS 0x40086602u /* FS_IOC_SETFLAGS of <linux/fs.h>, which clashes with <sys/mount.h> */
#define OF_NOCOW_FL 0x00800000u     /* FS_NOCOW_FL */
#define OF_LARGEST_PAGE 65536 /* bytes */
#define OF_NO_ADVICE 0x7ffffff0 /* an advice for madvise that no kernel knows */

/* MARK: clocks and numbers */

uint64_t of_ticks_per_second(void) {
#if defined(__aarch64__)
  uint64_t rate;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));
  return rate;
#else
  return 0; /* the TSC's rate stands in no register that a program may read */
#endif
}

uint64_t of_clock(void) {
  OF_RAW struct timespec now;
  now.tv_sec = now.tv_nsec = 0;
  OF_SYSCALL_2(__NR_clock_gettime, CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t of_clock_at_exit(void) {
  OF_RAW struct timespec now;
  now.tv_sec = now.tv_nsec = 0;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t of_process_number(void) { return (uint32_t)OF_SYSCALL_1(__NR_getpid, 0); }

/* glibc 2.32 and later, <sys/single_threaded.h>; false before a second thread begins. */
extern char __libc_single_threaded __attribute__((weak));
static const char *of_single_threaded; /* atomic */
static uint32_t of_only_thread;        /* atomic */

void of_watch_threads(void) {
  of_store_relaxed(&of_single_threaded, &__libc_single_threaded); /* relaxed: a value */
}

void of_remember_thread(void) {
  of_store_relaxed(&of_only_thread, (uint32_t)OF_SYSCALL_1(__NR_gettid, 0)); /* relaxed: a value */
}

uint32_t of_thread_number(void) {
  const char *single_threaded = of_load_relaxed(&of_single_threaded); /* relaxed: a value */
  if (single_threaded && *single_threaded) return of_load_relaxed(&of_only_thread); /* relaxed: a value */
  return (uint32_t)OF_SYSCALL_1(__NR_gettid, 0);
}

/* Linkers define these symbols in each image: the image's first byte, unless no segment has its headers, and the end of
 * .bss. */
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
extern const char _end[] __attribute__((weak, visibility("hidden")));

bool of_own_range(uint64_t *start, uint64_t *end) {
  *start = (uint64_t)__ehdr_start;
  *end = (uint64_t)_end;
  return *start && *start < *end;
}

bool of_shares_memory(uint32_t pid) {
  return OF_SYSCALL_5(__NR_kcmp, pid, of_process_number(), 1 /* KCMP_VM */, 0, 0) == 0;
}

/* The number in the field NUMBER of /proc/PID/stat (proc(5)); TEXT begins after field 2. */
OF_LOCAL uint64_t of_field(const char *text, int number) {
  for (int field = 2; *text && field < number; text++) field += *text == ' ';
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
  return value;
}

/* Stores PID in decimal, without a final zero byte, and returns its length. */
OF_LOCAL int of_write_number(char text[10], uint32_t pid) {
  OF_RAW char digits[10];
  int size = 0, count = 0;
  for (uint32_t rest = pid; rest || !count; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count) text[size++] = digits[--count];
  return size;
}

/* Whether the numbers in /proc are those of this process's namespace: a process may see the /proc of another
 * namespace. */
OF_LOCAL bool of_sees_own_numbers(uint32_t self) {
  OF_RAW char seen[10], own[10];
  long size = OF_SYSCALL_4(__NR_readlinkat, AT_FDCWD, "/proc/self", seen, sizeof seen);
  return size > 0 && size == of_write_number(own, self) && of_equal(seen, own, (uint64_t)size);
}

/* Opens /proc/PID/stat, or returns a negative number. */
OF_LOCAL int of_open_process(uint32_t pid) {
  uint32_t self = of_process_number();
  if (pid == self) return of_open_read("/proc/self/stat");
  if (!of_sees_own_numbers(self)) return -ENOENT;
  static const char prefix[] = "/proc/", suffix[] = "/stat";
  OF_RAW char path[32];
  of_copy(path, prefix, sizeof prefix);
  int size = (int)sizeof prefix - 1;
  size += of_write_number(path + size, pid);
  of_copy(path + size, suffix, sizeof suffix);
  return of_open_read(path);
}

uint64_t of_process_start(uint32_t pid) {
  int descriptor = of_open_process(pid);
  static char text[1024]; /* static because large; registration and a child's set-up come one at a time */
  int64_t got = descriptor < 0 ? -1 : of_read(descriptor, text, sizeof text - 1, 0);
  if (descriptor >= 0) of_close(descriptor);
  if (got <= 0) {
    /* There is no such file, or it belongs to another namespace: only the number can be tested. */
    long alive = OF_SYSCALL_2(__NR_kill, pid, 0);
    return alive == -ESRCH ? 0 : UINT64_MAX;
  }
  /* "pid (name) state ppid ...": the name may contain anything, so count from its last parenthesis. */
  int64_t at = got;
  while (at > 0 && text[at - 1] != ')') at--;
  text[got] = 0;
  /* The state is the state of the first thread, which may have ended while other threads live on. */
  bool is_zombie = at + 1 < got && text[at + 1] == 'Z' && of_field(text + at, 20) <= 1;
  return is_zombie ? 0 : of_field(text + at, 22);
}

uint64_t of_process_namespace(void) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  /* After the first thread has ended, the links in /proc/self can't be read. */
  long result = OF_SYSCALL_4(__NR_newfstatat, AT_FDCWD, "/proc/thread-self/ns/pid", &status, 0);
  return result == 0 ? (uint64_t)status.st_ino : 0;
}

uint64_t of_process_start_resolution(void) {
  return 10000000; /* USER_HZ is 100 on every machine we run on (include/uapi/asm-generic/param.h) */
}

uint64_t of_process_start_clock(uint64_t start) { return start * of_process_start_resolution(); }

uint32_t of_today(void) {
  OF_RAW struct timespec now;
  now.tv_sec = 0;
  OF_SYSCALL_2(__NR_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec > 0 ? (uint32_t)(now.tv_sec / 86400) : 0;
}

uint8_t of_memory_class(void) {
  OF_RAW struct sysinfo machine;
  if (OF_SYSCALL_1(__NR_sysinfo, &machine) != 0) return 0;
  uint64_t bytes = (uint64_t)machine.totalram * machine.mem_unit;
  return bytes ? (uint8_t)(63 - __builtin_clzll(bytes)) : 0;
}

uint64_t of_random(void) {
  OF_RAW uint64_t number;
  number = 0;
  /* GRND_NONBLOCK is 1. */
  return OF_SYSCALL_3(__NR_getrandom, &number, sizeof number, 1) == sizeof number ? number | 1 : 0;
}

/* MARK: what the loader was told. libc, from initialisers only. */

void of_exec_id(uint8_t id[16]) {
  /* The stack protector's secret is among these bytes: only half as many are written to a file. */
  const uint8_t *random = (const uint8_t *)getauxval(AT_RANDOM);
  uint64_t hash = of_fnv1a(random, random ? 16 : 0);
  of_copy(id, &hash, sizeof hash);
}

bool of_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

extern char **environ __attribute__((weak));

const char *of_environment(const char *name) {
  if (!&environ || !environ) return NULL;
  uint64_t size = of_length(name);
  for (char **entry = environ; *entry; entry++)
    if (of_equal(*entry, name, size) && (*entry)[size] == '=') return *entry + size + 1;
  return NULL;
}

const char *of_default_trace(void) { return orderfile_default_trace; }

/* MARK: files */

/* The path that of_remember_executable found; empty if /proc shows it. */
static char of_executed_path[OF_PATH_SIZE];

int of_executable_path(char *buffer) {
  long size = OF_SYSCALL_4(__NR_readlinkat, AT_FDCWD, "/proc/self/exe", buffer, OF_PATH_SIZE - 1);
  /* After the first thread has ended, the links in /proc/self can't be read. */
  if (size == -ENOENT)
    size = OF_SYSCALL_4(__NR_readlinkat, AT_FDCWD, "/proc/thread-self/exe", buffer, OF_PATH_SIZE - 1);
  if (size < 0 && of_executed_path[0]) {
    size = (long)of_length(of_executed_path);
    of_copy(buffer, of_executed_path, (uint64_t)size);
  }
  buffer[size > 0 ? size : 0] = 0;
  return (int)size;
}

void of_remember_executable(void) {
  static char path[OF_PATH_SIZE];
  const char *name = (const char *)getauxval(AT_EXECFN); /* the path passed to exec */
  if (!name || !*name || of_executable_path(path) >= 0) return;
  int size = *name == '/' ? 0 : of_current_folder(path);
  if (size < 0 || (uint64_t)size + of_length(name) + 2 > OF_PATH_SIZE) return;
  if (size > 0) path[size++] = '/';
  of_copy(path + size, name, of_length(name) + 1);
  of_copy(of_executed_path, path, of_length(path) + 1);
}

int of_current_folder(char *buffer) {
  long size = OF_SYSCALL_2(__NR_getcwd, buffer, OF_PATH_SIZE); /* counts the zero */
  return size > 0 ? (int)size - 1 : (int)size;
}

int of_trace_folder(char *buffer) { return of_current_folder(buffer); }

#define OF_ATTEMPTS 1000 /* at a call that a signal may interrupt */

#define OF_MODE 0600 /* of a trace: it shows what a program does, and who can write to it can kill the program */

/* Occupies those of the descriptors 0, 1 and 2 that are free, so that no file of ours gets such a number. Returns the
 * occupied ones as bits. A thread of the program that reads or writes one of them meanwhile gets EBADF, as it would
 * without us. */
OF_LOCAL unsigned of_take_standard_streams(void) {
  unsigned taken = 0;
  for (int i = 0; i < 3; i++) {
    long descriptor = OF_SYSCALL_4(__NR_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
    if (descriptor >= 0 && descriptor <= 2) {
      taken |= 1u << descriptor;
      continue;
    }
    if (descriptor > 2) OF_SYSCALL_1(__NR_close, descriptor);
    break;
  }
  return taken;
}

OF_LOCAL int of_open(const char *path, int flags) {
  unsigned taken = of_take_standard_streams();
  long result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < OF_ATTEMPTS; attempt++)
    result = OF_SYSCALL_4(__NR_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                          OF_MODE);
  for (int number = 0; number <= 2; number++)
    if (taken >> number & 1) OF_SYSCALL_1(__NR_close, number);
  return (int)result;
}

int of_open_read(const char *path) { return of_open(path, O_RDONLY); }
int of_open_write(const char *path) { return of_open(path, O_RDWR); }
int of_create(const char *path) {
  int descriptor = of_open(path, O_RDWR | O_CREAT | O_EXCL);
  /* The umask may have removed permissions that other copies of the recorder need. */
  if (descriptor >= 0) OF_SYSCALL_2(__NR_fchmod, descriptor, OF_MODE);
  /* btrfs writes each changed page to another place; if the disk is full then, the store into the mapping fails.
   * Other file systems refuse the flag. */
  OF_RAW unsigned flags;
  flags = OF_NOCOW_FL;
  if (descriptor >= 0) OF_SYSCALL_3(__NR_ioctl, descriptor, OF_IOC_SETFLAGS, &flags);
  return descriptor;
}
void of_close(int descriptor) { OF_SYSCALL_1(__NR_close, descriptor); }
int of_remove(const char *path) { return (int)OF_SYSCALL_3(__NR_unlinkat, AT_FDCWD, path, 0); }

int of_lock_folder(const char *path) {
  static char folder[OF_PATH_SIZE]; /* static because large; registration and a child's set-up come one at a time */
  uint64_t size = of_length(path);
  while (size > 1 && path[size - 1] != '/') size--;
  of_copy(folder, path, size);
  folder[size] = 0;
  int descriptor = of_open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return descriptor;
  long result = OF_SYSCALL_2(__NR_flock, descriptor, LOCK_EX | LOCK_NB);
  if (result == 0) return descriptor;
  of_close(descriptor);
  return (int)result;
}

void of_unlock_folder(int lock) {
  if (lock < 0) return;
  OF_SYSCALL_2(__NR_flock, lock, LOCK_UN); /* a child forked just now holds the descriptor, too */
  of_close(lock);
}

int of_lock_file(int descriptor) {
  return (int)OF_SYSCALL_2(__NR_flock, descriptor, LOCK_EX | LOCK_NB);
}

bool of_is_locked(const char *path) {
  int descriptor = of_open_read(path);
  if (descriptor < 0) return false;
  long result = OF_SYSCALL_2(__NR_flock, descriptor, LOCK_SH | LOCK_NB);
  of_close(descriptor);
  return result == -OF_BUSY;
}

int of_publish(const char *path, const char *new_path) {
  /* RENAME_NOREPLACE is 1. Renaming is better than linking: /proc/self/maps keeps showing the name under which a file
   * was opened, and other copies of the recorder look for the trace there. */
  long result = OF_SYSCALL_5(__NR_renameat2, AT_FDCWD, path, AT_FDCWD, new_path, 1);
  if (result == 0 || result == -EEXIST) return (int)result;
  result = OF_SYSCALL_5(__NR_linkat, AT_FDCWD, path, AT_FDCWD, new_path, 0);
  return result == 0 ? of_remove(path) : (int)result;
}

int64_t of_read(int descriptor, void *buffer, size_t size, uint64_t offset) {
  return OF_SYSCALL_4(__NR_pread64, descriptor, buffer, size, offset);
}

int of_file_kind(const char *path, uint64_t *size) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  long result = OF_SYSCALL_4(__NR_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW);
  if (result < 0) return (int)result;
  *size = (uint64_t)status.st_size;
  if (S_ISREG(status.st_mode)) return OF_REGULAR_FILE;
  return S_ISLNK(status.st_mode) ? OF_SYMBOLIC_LINK : OF_OTHER_FILE;
}

/* The number of the file at PATH, or of the open DESCRIPTOR if PATH is NULL. */
OF_LOCAL int of_status_number(const char *path, int descriptor, uint64_t number[2]) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  long result = path ? OF_SYSCALL_4(__NR_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW)
                     : OF_SYSCALL_2(__NR_fstat, descriptor, &status);
  if (result < 0) return (int)result;
  number[0] = (uint64_t)status.st_dev;
  number[1] = (uint64_t)status.st_ino;
  return 0;
}

int of_file_number(int descriptor, uint64_t number[2]) {
  return of_status_number(0, descriptor, number);
}

int of_file_number_at(const char *path, uint64_t number[2]) { return of_status_number(path, -1, number); }

/* The soft limit of a RESOURCE of getrlimit(2). */
OF_LOCAL uint64_t of_limit(int resource) {
  OF_RAW uint64_t limit[2]; /* soft, hard */
  long result = OF_SYSCALL_4(__NR_prlimit64, 0, resource, NULL, limit);
  return result == 0 ? limit[0] : UINT64_MAX;
}

int of_write(int descriptor, const void *bytes, size_t size) {
  /* Beyond this limit the kernel would not only fail, it would kill the program with SIGXFSZ. The file is new. */
  if (size > of_limit(RLIMIT_FSIZE)) return -EFBIG;
  for (int attempt = 0; size > 0 && attempt < OF_ATTEMPTS; attempt++) {
    long result = OF_SYSCALL_3(__NR_write, descriptor, bytes, size);
    if (result == -EINTR) continue;
    if (result <= 0) return result ? (int)result : -ENOSPC;
    bytes = (const char *)bytes + result;
    size -= (size_t)result;
  }
  return size == 0 ? 0 : -EINTR;
}

uint64_t of_address_space(void) { return of_limit(RLIMIT_AS); }

int of_allocate(int descriptor, uint64_t old_size, uint64_t size) {
  /* Beyond this limit the kernel would not only fail, it would kill the program with SIGXFSZ. */
  if (size > of_limit(RLIMIT_FSIZE)) return -EFBIG;
  long result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < OF_ATTEMPTS; attempt++)
    result = OF_SYSCALL_4(__NR_fallocate, descriptor, 0, old_size, size - old_size);
  if (result != -EOPNOTSUPP && result != -ENOSYS) return (int)result;
  /* For a file system that can't reserve blocks: writing zeros allocates as well. */
  static const char zeros[4096];
  for (uint64_t at = old_size; at < size;) {
    uint64_t count = size - at < sizeof zeros ? size - at : sizeof zeros;
    result = OF_SYSCALL_4(__NR_pwrite64, descriptor, zeros, count, at);
    if (result <= 0) return result ? (int)result : -ENOSPC;
    at += (uint64_t)result;
  }
  return 0;
}

void of_lengthen(int descriptor, uint64_t size) {
  /* Not ftruncate, which could shorten a file that another copy of the recorder has lengthened. */
  if (size <= of_limit(RLIMIT_FSIZE)) OF_SYSCALL_4(__NR_fallocate, descriptor, 0, size - 1, 1);
}

/* Whether the kernel examines advice about the SIZE bytes at ADDRESS. An emulator may accept any advice and ignore it
 * (qemu-user before 8.0), so this tries invalid advice. */
OF_LOCAL bool of_heeds_advice(void *address, size_t size) {
  return OF_SYSCALL_3(__NR_madvise, address, size, OF_NO_ADVICE) < 0;
}

int of_allocate_mapped(void *address, size_t size) {
  if (!of_heeds_advice(address, size)) return -ENOSYS;
  long result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < OF_ATTEMPTS; attempt++)
    result = OF_SYSCALL_3(__NR_madvise, address, size, MADV_POPULATE_WRITE);
  return (int)result;
}

void *of_map(int descriptor, size_t size) {
  long result = OF_SYSCALL_6(__NR_mmap, NULL, size, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (result < 0 && result > -4096) return NULL;
  /* Without this, a fault on the new mapping reads around itself, which costs milliseconds. */
  OF_SYSCALL_3(__NR_madvise, result, size, MADV_RANDOM);
  return (void *)result;
}

void of_unmap(void *address, size_t size) { OF_SYSCALL_2(__NR_munmap, address, size); }

bool of_read_memory(const void *address, void *buffer, size_t size) {
  OF_RAW struct iovec ends[2];
  ends[0].iov_base = buffer;
  ends[1].iov_base = (void *)address;
  ends[0].iov_len = ends[1].iov_len = size;
  return OF_SYSCALL_6(__NR_process_vm_readv, of_process_number(), &ends[0], 1, &ends[1], 1, 0) ==
         (long)size;
}

void *of_map_memory(size_t size) {
  long result = OF_SYSCALL_6(__NR_mmap, NULL, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *of_page_wiped_on_fork(void) {
  /* The page is in this image's data, so that a library that is closed takes it along. It is a whole page of memory
   * without a file. */
  static char pages[2 * OF_LARGEST_PAGE];
  size_t size = getauxval(AT_PAGESZ);
  if (!size) size = 4096;
  if (size > OF_LARGEST_PAGE) return NULL;
  void *page = pages + (size - (uintptr_t)pages % size) % size;
  bool is_wiped = of_heeds_advice(page, size) &&
                  OF_SYSCALL_3(__NR_madvise, page, size, MADV_WIPEONFORK) == 0;
  return is_wiped ? page : NULL;
}

/* MARK: the program's standard error */

void of_write_error(const char *text, size_t size) { OF_SYSCALL_3(__NR_write, 2, text, size); }

uint64_t of_standard_error(void) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  if (OF_SYSCALL_2(__NR_fstat, 2, &status) != 0) return 0;
  return (uint64_t)status.st_dev * 0x9e3779b97f4a7c15u + (uint64_t)status.st_ino + 1;
}

void of_pause(void) {
  struct timespec time = {0, 100000};
  OF_SYSCALL_2(__NR_nanosleep, &time, NULL);
}

static void (*of_finish_at_exit)(void);

static OF_IMMUNE __attribute__((destructor, used)) void of_at_exit(void) {
  if (of_finish_at_exit) of_finish_at_exit();
}

void of_watch_exit(void (*finish)(void)) { of_finish_at_exit = finish; }

#endif
