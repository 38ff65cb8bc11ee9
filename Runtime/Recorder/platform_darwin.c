/* platform.h for macOS, iOS and related systems, arm64 and x86-64.
 *
 * System calls by number are no interface here, so everything goes through libSystem. That is no loss:
 * dyld binds every pointer of an image, and libSystem has finished its own initialisation, before the
 * first +load or constructor of any image that we could be in. What remains to be careful about is
 * locks and errno: what a hit calls takes no lock, allocates nothing, and leaves errno alone.
 *
 * Called on a first hit:
 *
 *   getpid               a load from libSystem's data; a system call once in a forked child
 *   pthread_threadid_np  a load from the thread's own structure
 *   mach_absolute_time   the commpage and the counter
 *   clock_gettime_nsec_np  only while ORDERFILE_STOP_AFTER_MS is counting
 *
 * Called by initialisers, marks, stop and exit, and by the first hit of a forked child:
 *
 *   close fchmod fcntl flock fstat ftruncate getcwd getenv getrlimit kill link lstat madvise mmap munmap open
 *   pread pwrite renamex_np sysctl unlink usleep write                          files and memory
 *   clock_gettime_nsec_np mach_timebase_info issetugid __error                  clocks, the process
 *   __cxa_atexit                                                                once, in a recorded launch
 *   _NSGetExecutablePath _dyld_get_image_header _dyld_get_image_name _dyld_image_count
 *   _dyld_register_func_for_remove_image dladdr dlsym                           images
 *
 * Data: __stack_chk_guard.
 *
 * Nothing of this file has run on a Mac or a device: it was written from the headers, from xnu, dyld and
 * libpthread as Apple publishes them, and has run under an emulator.
 */
#if defined(__APPLE__)
#include "platform.h"

#include <TargetConditionals.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <mach/mach_time.h>
#include <of_bytes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

#include "darwin.h"

_Static_assert(sizeof(void *) == 8, "the recorder is for 64-bit programs");

/* The result of a CALL of libSystem, or -errno; the program's own errno is restored. */
#define OF_CALL(call)               \
  ({                                \
    int of_program_error = errno;   \
    of_outcome(of_program_error, (call)); \
  })
OF_INLINE int64_t of_outcome(int program_error, int64_t result) {
  if (result >= 0) return result;
  int error = errno;
  errno = program_error;
  return -error;
}

/* MARK: clocks and numbers */

/* Not CNTVCT_EL0: xnu uses other registers where those are better, and Instruments shows this counter
 * (libsyscall/wrappers/mach_absolute_time.s). */
uint64_t of_ticks(void) { return mach_absolute_time(); }

uint64_t of_ticks_per_second(void) {
  OF_RAW mach_timebase_info_data_t scale; /* the nanoseconds of a tick, as a fraction */
  if (mach_timebase_info(&scale) != 0 || !scale.numer) return 0;
  return 1000000000ull * scale.denom / scale.numer;
}

/* mach_continuous_time in nanoseconds. */
uint64_t of_clock(void) { return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW); }
uint64_t of_clock_at_exit(void) { return of_clock(); }

uint32_t of_process_number(void) { return (uint32_t)getpid(); }

uint32_t of_thread_number(void) {
  uint64_t number = 0; /* counts up from boot, for all processes: 32 bits last for years */
  pthread_threadid_np(NULL, &number);
  return (uint32_t)number;
}

/* A thread's number costs no system call here. */
void of_watch_threads(void) {}
void of_remember_thread(void) {}

bool of_own_range(uint64_t *start, uint64_t *end) {
  const struct mach_header_64 *header = &__dso_handle;
  const uint8_t *at = (const uint8_t *)(header + 1);
  uint64_t text = 0, high = 0; /* stated */
  for (uint32_t i = 0; i < header->ncmds; i++) {
    const struct segment_command_64 *segment = (const void *)at;
    at += segment->cmdsize;
    if (segment->cmd != LC_SEGMENT_64 || segment->maxprot == VM_PROT_NONE) continue; /* __PAGEZERO */
    if (segment->fileoff == 0 && segment->filesize) text = segment->vmaddr;
    if (segment->vmaddr + segment->vmsize > high) high = segment->vmaddr + segment->vmsize;
  }
  *start = (uint64_t)header;
  *end = high - text + (uint64_t)header;
  return *start < *end;
}

/* The kernel has no vfork (bsd/kern/syscalls.master, CONFIG_VFORK): libSystem's function of that name
 * copies the memory. */
bool of_shares_memory(uint32_t pid) {
  (void)pid;
  return false;
}

uint64_t of_process_start(uint32_t pid) {
  static struct kinfo_proc process; /* static because large; registration and a child's set-up come one at a time */
  OF_RAW int name[4];
  name[0] = CTL_KERN;
  name[1] = KERN_PROC;
  name[2] = KERN_PROC_PID;
  name[3] = (int)pid;
  size_t size = sizeof process;
  int64_t result = OF_CALL(sysctl(name, 4, &process, &size, NULL, 0));
  if (result == 0 && size < sizeof process) return 0;
  if (result < 0) {
    /* A sandbox may forbid querying other processes, but not testing whether they exist. */
    return OF_CALL(kill((pid_t)pid, 0)) == -ESRCH ? 0 : UINT64_MAX;
  }
  if (process.kp_proc.p_stat == SZOMB) return 0;
  /* Microseconds since 1970. exec keeps the start time. */
  return (uint64_t)process.kp_proc.p_starttime.tv_sec * 1000000u +
         (uint64_t)process.kp_proc.p_starttime.tv_usec;
}

uint32_t of_today(void) {
  return (uint32_t)(clock_gettime_nsec_np(CLOCK_REALTIME) / 1000000000u / 86400);
}

uint8_t of_memory_class(void) {
  OF_RAW int name[2];
  OF_RAW uint64_t bytes;
  name[0] = CTL_HW;
  name[1] = HW_MEMSIZE;
  bytes = 0;
  size_t size = sizeof bytes;
  if (OF_CALL(sysctl(name, 2, &bytes, &size, NULL, 0)) < 0 || !bytes) return 0;
  return (uint8_t)(63 - __builtin_clzll(bytes));
}

/* A file, because the SDKs of iOS, tvOS and watchOS lack the header of getentropy, and the App Store refuses it. */
uint64_t of_random(void) {
  OF_RAW uint64_t number;
  number = 0;
  int descriptor = of_open_read("/dev/urandom");
  if (descriptor < 0) return 0;
  int64_t got = of_read(descriptor, &number, sizeof number, 0);
  of_close(descriptor);
  return got == (int64_t)sizeof number ? number | 1 : 0;
}

void of_remember_executable(void) {} /* dyld knows it */

uint64_t of_process_namespace(void) { return 1; /* Darwin has only one namespace */ }

uint64_t of_process_start_resolution(void) { return 1000; }

uint64_t of_process_start_clock(uint64_t start) {
  uint64_t now = clock_gettime_nsec_np(CLOCK_REALTIME), then = start * 1000;
  uint64_t clock = of_clock();
  return then < now && now - then < clock ? clock - (now - then) : clock;
}

/* MARK: what the kernel told this process image */

extern const uintptr_t __stack_chk_guard; /* the stack protector's secret: the compiler's contract */

/* There is no AT_RANDOM. The stack protector's secret is new after each exec and kept by fork
 * (bsd/kern/kern_exec.c, GUARD_KEY); so are the addresses of the program. Only half of the secret's bits
 * are written to a file. */
void of_exec_id(uint8_t id[16]) {
  OF_RAW uint8_t secret[8];
  for (int i = 0; i < 8; i++) secret[i] = (uint8_t)(__stack_chk_guard >> 8 * i);
  uint64_t hash = of_fnv1a(secret, sizeof secret);
  uint64_t program = (uint64_t)_dyld_get_image_header(0) >> 12;
  hash = (hash ^ hash >> 32) << 32 | (program & 0xffffffffu);
  of_copy(id, &hash, sizeof hash);
}

bool of_is_privileged(void) { return issetugid() != 0; }

const char *of_environment(const char *name) { return getenv(name); }

/* The default for a program that defines none. Mach-O has no optional symbols, but a weak definition gives
 * way to another one in the same link. */
__attribute__((weak, visibility("default"))) const char orderfile_default_trace[1] = {0};

const char *of_default_trace(void) {
  if (orderfile_default_trace[0]) return orderfile_default_trace;
  /* A library's copy is initialized before the program, and only the program defines it. */
  return dlsym(RTLD_MAIN_ONLY, "orderfile_default_trace");
}

/* MARK: paths */

OF_INTERNAL int of_join(char *buffer, const char *folder, const char *name) {
  uint64_t folder_size = of_length(folder), name_size = of_length(name);
  if (folder_size + 1 + name_size >= OF_PATH_SIZE) return -ENAMETOOLONG;
  if (buffer != folder) of_copy(buffer, folder, folder_size);
  if (name_size) buffer[folder_size++] = '/';
  of_copy(buffer + folder_size, name, name_size + 1);
  return (int)(folder_size + name_size);
}

int of_executable_path(char *buffer) {
  uint32_t size = OF_PATH_SIZE; /* with the zero */
  if (_NSGetExecutablePath(buffer, &size) == 0) return (int)of_length(buffer);
  buffer[0] = 0;
  return -ENAMETOOLONG;
}

int of_current_folder(char *buffer) {
  int program_error = errno;
  if (getcwd(buffer, OF_PATH_SIZE)) return (int)of_length(buffer);
  return (int)of_outcome(program_error, -1);
}

/* Whether apps can write only to their container. An app of Mac Catalyst is launched like any other app of a Mac. */
#define OF_IS_CONTAINED (!TARGET_OS_OSX && !TARGET_OS_MACCATALYST)
#if TARGET_OS_TV
#define OF_WRITABLE_FOLDER "Library/Caches" /* an Apple TV keeps no documents, and forbids to make any */
#else
#define OF_WRITABLE_FOLDER "Documents"
#endif

int of_trace_folder(char *buffer) {
#if OF_IS_CONTAINED
  const char *home = getenv("HOME"), *temporary = getenv("TMPDIR");
  if (home && *home) return of_join(buffer, home, OF_WRITABLE_FOLDER);
  if (temporary && *temporary) return of_join(buffer, temporary, "");
#endif
  return of_current_folder(buffer);
}

/* MARK: files */

#define OF_ATTEMPTS 1000 /* at a call that a signal may interrupt */

#define OF_MODE 0600 /* of a trace: it shows what a program does, and who can write to it can kill the program */

/* Occupies those of the descriptors 0, 1 and 2 that are free, so that no file of ours gets such a number. Returns the
 * occupied ones as bits. A thread of the program that reads or writes one of them meanwhile gets an error, as it would
 * without us. */
OF_LOCAL unsigned of_take_standard_streams(void) {
  unsigned taken = 0;
  for (int i = 0; i < 3; i++) {
    int64_t descriptor = OF_CALL(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
    if (descriptor >= 0 && descriptor <= 2) {
      taken |= 1u << descriptor;
      continue;
    }
    if (descriptor > 2) of_close((int)descriptor);
    break;
  }
  return taken;
}

OF_LOCAL int of_open(const char *path, int flags) {
  unsigned taken = of_take_standard_streams();
  int64_t result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < OF_ATTEMPTS; attempt++)
    result = OF_CALL(open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, OF_MODE));
  for (int number = 0; number <= 2; number++)
    if (taken >> number & 1) of_close(number);
  return (int)result;
}

int of_open_read(const char *path) { return of_open(path, O_RDONLY); }
int of_open_write(const char *path) { return of_open(path, O_RDWR); }
int of_create(const char *path) {
  int descriptor = of_open(path, O_RDWR | O_CREAT | O_EXCL);
  /* The umask may have removed permissions that other copies of the recorder need. */
  if (descriptor >= 0) (void)OF_CALL(fchmod(descriptor, OF_MODE));
  return descriptor;
}
void of_close(int descriptor) { (void)OF_CALL(close(descriptor)); }
int of_remove(const char *path) { return (int)OF_CALL(unlink(path)); }

int of_lock_folder(const char *path) {
  static char folder[OF_PATH_SIZE]; /* static because large; registration and a child's set-up come one at a time */
  uint64_t size = of_length(path);
  while (size > 1 && path[size - 1] != '/') size--;
  of_copy(folder, path, size);
  folder[size] = 0;
  int descriptor = of_open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return descriptor;
  int64_t result = OF_CALL(flock(descriptor, LOCK_EX | LOCK_NB));
  if (result == 0) return descriptor;
  of_close(descriptor);
  return result == -EWOULDBLOCK ? -OF_BUSY : (int)result;
}

void of_unlock_folder(int lock) {
  if (lock < 0) return;
  (void)OF_CALL(flock(lock, LOCK_UN)); /* a child forked just now holds the descriptor, too */
  of_close(lock);
}

int of_lock_file(int descriptor) {
  int64_t result = OF_CALL(flock(descriptor, LOCK_EX | LOCK_NB));
  return result == -EWOULDBLOCK ? -OF_BUSY : (int)result;
}

bool of_is_locked(const char *path) {
  int descriptor = of_open_read(path);
  if (descriptor < 0) return false;
  int64_t result = OF_CALL(flock(descriptor, LOCK_SH | LOCK_NB));
  of_close(descriptor);
  return result == -EWOULDBLOCK;
}

int of_publish(const char *path, const char *new_path) {
  int64_t result = OF_CALL(renamex_np(path, new_path, RENAME_EXCL));
  if (result == 0 || result == -EEXIST) return (int)result;
  result = OF_CALL(link(path, new_path)); /* this file system can't rename without replacing */
  return result == 0 ? of_remove(path) : (int)result;
}

int64_t of_read(int descriptor, void *buffer, size_t size, uint64_t offset) {
  return OF_CALL(pread(descriptor, buffer, size, (off_t)offset));
}

int of_file_kind(const char *path, uint64_t *size) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  int64_t result = OF_CALL(lstat(path, &status));
  if (result < 0) return (int)result;
  *size = (uint64_t)status.st_size;
  if (S_ISREG(status.st_mode)) return OF_REGULAR_FILE;
  return S_ISLNK(status.st_mode) ? OF_SYMBOLIC_LINK : OF_OTHER_FILE;
}

/* The number of the file at PATH, or of the open DESCRIPTOR if PATH is NULL. */
OF_LOCAL int of_status_number(const char *path, int descriptor, uint64_t number[2]) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  int64_t result = path ? OF_CALL(lstat(path, &status)) : OF_CALL(fstat(descriptor, &status));
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
  OF_RAW struct rlimit limit;
  return OF_CALL(getrlimit(resource, &limit)) == 0 ? limit.rlim_cur : UINT64_MAX;
}

int of_write(int descriptor, const void *bytes, size_t size) {
  /* Beyond this limit the kernel would not only fail, it would kill the program with SIGXFSZ. The file is new. */
  if (size > of_limit(RLIMIT_FSIZE)) return -EFBIG;
  for (int attempt = 0; size > 0 && attempt < OF_ATTEMPTS; attempt++) {
    int64_t result = OF_CALL(write(descriptor, bytes, size));
    if (result == -EINTR) continue;
    if (result <= 0) return result ? (int)result : -ENOSPC;
    bytes = (const char *)bytes + result;
    size -= (size_t)result;
  }
  return size == 0 ? 0 : -EINTR;
}

uint64_t of_address_space(void) {
#if OF_IS_CONTAINED
  return (uint64_t)4 << 30; /* what an app gets on a small device; no limit states it */
#else
  return of_limit(RLIMIT_AS);
#endif
}

/* Reserves the blocks, then moves the end of the file after them. */
OF_LOCAL int of_reserve_blocks(int descriptor, uint64_t old_size, uint64_t size) {
  OF_RAW fstore_t blocks;
  blocks.fst_flags = F_ALLOCATEALL;
  blocks.fst_posmode = F_PEOFPOSMODE; /* count from the end of the file's blocks */
  blocks.fst_offset = 0;
  blocks.fst_length = (off_t)(size - old_size);
  blocks.fst_bytesalloc = 0;
  int64_t result = OF_CALL(fcntl(descriptor, F_PREALLOCATE, &blocks));
  if (result < 0) return (int)result;
  return (int)OF_CALL(ftruncate(descriptor, (off_t)size));
}

int of_allocate(int descriptor, uint64_t old_size, uint64_t size) {
  /* Beyond this limit the kernel would not only fail, it would kill the program with SIGXFSZ. */
  if (size > of_limit(RLIMIT_FSIZE)) return -EFBIG;
  int64_t result = -EINTR;
  for (int attempt = 0; result == -EINTR && attempt < OF_ATTEMPTS; attempt++)
    result = of_reserve_blocks(descriptor, old_size, size);
  if (result == 0 || result == -ENOSPC || result == -EDQUOT) return (int)result;
  /* For a file system that can't reserve blocks: writing zeros allocates as well. */
  static const char zeros[4096];
  for (uint64_t at = old_size; at < size;) {
    uint64_t count = size - at < sizeof zeros ? size - at : sizeof zeros;
    result = OF_CALL(pwrite(descriptor, zeros, count, (off_t)at));
    if (result <= 0) return result ? (int)result : -ENOSPC;
    at += (uint64_t)result;
  }
  return 0;
}

void of_lengthen(int descriptor, uint64_t size) { (void)descriptor, (void)size; }

int of_allocate_mapped(void *address, size_t size) { return (void)address, (void)size, -ENOTSUP; }

void *of_map(int descriptor, size_t size) {
  int program_error = errno;
  void *result = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (result != MAP_FAILED) (void)OF_CALL(madvise(result, size, MADV_RANDOM)); /* no read-around */
  errno = program_error;
  return result == MAP_FAILED ? NULL : result;
}

void of_unmap(void *address, size_t size) { (void)OF_CALL(munmap(address, size)); }

bool of_read_memory(const void *address, void *buffer, size_t size) {
  (void)address;
  (void)buffer;
  (void)size;
  return false;
}

void *of_map_memory(size_t size) {
  int program_error = errno;
  void *result = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  errno = program_error;
  return result == MAP_FAILED ? NULL : result;
}

/* minherit(2) can share a page with a child, copy it or leave a gap, but not wipe it: a hit compares
 * process numbers instead. */
void *of_page_wiped_on_fork(void) { return NULL; }

/* MARK: the program's standard error */

void of_write_error(const char *text, size_t size) {
  (void)OF_CALL(write(STDERR_FILENO, text, size));
}

uint64_t of_standard_error(void) {
  static struct stat status; /* static because large; registration and a child's set-up come one at a time */
  if (OF_CALL(fstat(STDERR_FILENO, &status)) != 0) return 0;
  return (uint64_t)status.st_dev * 0x9e3779b97f4a7c15u + (uint64_t)status.st_ino + 1;
}

void of_pause(void) { usleep(100); }

extern int __cxa_atexit(void (*body)(void *), void *context, const void *image); /* Itanium C++ ABI */

static void (*of_finish_at_exit)(void);

OF_LOCAL void of_at_exit(void *context) {
  (void)context;
  of_finish_at_exit();
}

/* This is not a destructor: clang registers destructors in a constructor that it generates, and an instrumented build
 * instruments that constructor. Moreover, a program that records nothing has nothing to do at launch. */
void of_watch_exit(void (*finish)(void)) {
  of_finish_at_exit = finish;
  __cxa_atexit(of_at_exit, NULL, &__dso_handle);
}

#endif
