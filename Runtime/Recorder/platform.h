/* The porting interface: everything that the recorder needs from an operating system, except its loader
 * (images.h) and finding other copies (other_copies.h). Each system has a file, platform_<system>.c, that
 * implements it.
 *
 * Unless stated otherwise, a function allocates nothing, takes no lock, calls no libc function, and may be
 * called from any thread and any signal handler, before main and before relocation. Pointers are not NULL.
 * The result is 0 (or a count, or a descriptor) on success and -errno on failure.
 */
#ifndef OF_PLATFORM_H
#define OF_PLATFORM_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OF_PATH_SIZE 4096 /* bytes of a path, with its final zero */

/* The machine's counter: constant rate, same on all cores, readable without a system call. */
#if defined(__APPLE__)
OF_INTERNAL uint64_t of_ticks(void); /* mach_absolute_time */
#else
OF_INLINE uint64_t of_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "no counter is known for this machine"
#endif
}
#endif

/* The part of a pointer that is an address: pointer authentication signs the rest on ARM. */
OF_INLINE uint64_t of_strip_signature(const void *pointer) {
#if defined(__aarch64__)
  register const void *x30 __asm__("x30") = pointer;
  __asm__("hint #7" : "+r"(x30)); /* xpaclri; a no-op where pointers are not signed */
  return (uint64_t)x30;
#else
  return (uint64_t)pointer;
#endif
}

/* The counter's rate in Hz, or 0 if it must be calibrated. */
OF_INTERNAL uint64_t of_ticks_per_second(void);
/* Nanoseconds since boot, including sleep: CLOCK_BOOTTIME, mach_continuous_time. */
OF_INTERNAL uint64_t of_clock(void);
/* The time of of_clock, read by libc, which on Linux needs no system call. At exit. */
OF_INTERNAL uint64_t of_clock_at_exit(void);

/* Days since 1970, UTC; 0 if the time is unknown. */
OF_INTERNAL uint32_t of_today(void);
/* The binary logarithm of the machine's memory in bytes, rounded down; 0 if it is unknown. */
OF_INTERNAL uint8_t of_memory_class(void);
/* Eight bytes from the kernel's random numbers, never 0; 0 if the kernel has none yet. */
OF_INTERNAL uint64_t of_random(void);

OF_INTERNAL uint32_t of_process_number(void);
OF_INTERNAL uint32_t of_thread_number(void);
/* Lets of_thread_number answer without a system call as long as libc knows of only one thread: the last
 * one that called of_remember_thread. From initializers only. */
OF_INTERNAL void of_watch_threads(void);
/* Lets of_executable_path answer in a folder without /proc. Calls libc; from initializers only. */
OF_INTERNAL void of_remember_executable(void);
/* Called by the thread that makes a process's trace. */
OF_INTERNAL void of_remember_thread(void);
/* Stores the loaded range of the image that this copy is linked into; false if the linker does not provide it. */
OF_INTERNAL bool of_own_range(uint64_t *start, uint64_t *end);
/* Whether PID is a living process that shares all its memory with this one (vfork); false if unknown. */
OF_INTERNAL bool of_shares_memory(uint32_t pid);

/* The start time of process PID of this process's namespace, in the system's own units. It distinguishes the process
 * from all others with the same number. 0 if there is no such process (or only its zombie), UINT64_MAX if there is one
 * but its start time is unknown. */
OF_INTERNAL uint64_t of_process_start(uint32_t pid);
/* A number that distinguishes the namespace of this process's number from others: a container's first process is number
 * 1, as is the machine's. 0 if nothing is known. */
OF_INTERNAL uint64_t of_process_namespace(void);
/* Nanoseconds in one unit of of_process_start. */
OF_INTERNAL uint64_t of_process_start_resolution(void);
/* Converts START, a result of of_process_start, to the clock of of_clock. */
OF_INTERNAL uint64_t of_process_start_clock(uint64_t start);

/* The 16 bytes that distinguish the program from the one before exec. Calls libc; from initializers only. */
OF_INTERNAL void of_exec_id(uint8_t id[16]);
/* Whether the environment must not be trusted (set-user-ID). Calls libc; from initializers only. */
OF_INTERNAL bool of_is_privileged(void);
/* The value of the variable NAME, or NULL. Reads libc's `environ`; from initialisers only. */
OF_INTERNAL const char *of_environment(const char *name);
/* The program's orderfile_default_trace, or NULL; from initialisers only. */
OF_INTERNAL const char *of_default_trace(void);

/* Store a path with its final zero in BUFFER of OF_PATH_SIZE bytes, and return its length. */
OF_INTERNAL int of_executable_path(char *buffer);
OF_INTERNAL int of_current_folder(char *buffer);
/* The folder to which a relative path of a trace is relative; from initializers only. */
OF_INTERNAL int of_trace_folder(char *buffer);

/* Files. A descriptor is closed on exec. It is never 0, 1 or 2, not even briefly: the program may have closed one of
 * these, and its threads may still write to that number. */
OF_INTERNAL int of_open_read(const char *path);  /* follows no symbolic link, does not block */
OF_INTERNAL int of_open_write(const char *path); /* existing file, read and write */
OF_INTERNAL int of_create(const char *path);     /* for this user alone; fails with -EEXIST */
OF_INTERNAL void of_close(int descriptor);
/* Locks the folder of PATH against other recorders: returns a descriptor, -errno if that is not possible, or -OF_BUSY
 * while another recorder holds the lock. */
#define OF_BUSY 11
OF_INTERNAL int of_lock_folder(const char *path);
OF_INTERNAL void of_unlock_folder(int lock); /* negative: there is no lock */
/* Locks the open file against other recorders: 0, -OF_BUSY, or another -errno if that is not possible. */
OF_INTERNAL int of_lock_file(int descriptor);
/* Whether a recorder has locked the file PATH. On most file systems of Linux, a mapping keeps the lock (flock) of the
 * descriptor with which it was made: then the file stays locked until no process maps it any more. */
OF_INTERNAL bool of_is_locked(const char *path);
OF_INTERNAL int of_remove(const char *path);
/* Renames the file PATH to NEW_PATH; fails with -EEXIST instead of replacing a file. */
OF_INTERNAL int of_publish(const char *path, const char *new_path);
/* Reads up to SIZE bytes from OFFSET; returns their number. */
OF_INTERNAL int64_t of_read(int descriptor, void *buffer, size_t size, uint64_t offset);
/* Writes SIZE bytes at the place of DESCRIPTOR in its file: 0, or -errno if not all were written. */
OF_INTERNAL int of_write(int descriptor, const void *bytes, size_t size);
enum of_file_kind { OF_REGULAR_FILE, OF_SYMBOLIC_LINK, OF_OTHER_FILE };
/* The kind of file at PATH, not following links; -ENOENT if there is none. Stores the size in bytes. */
OF_INTERNAL int of_file_kind(const char *path, uint64_t *size);
/* Store the numbers that identify the open file, or the file at PATH, not following links: the number of its device and
 * its own number. */
OF_INTERNAL int of_file_number(int descriptor, uint64_t number[2]);
OF_INTERNAL int of_file_number_at(const char *path, uint64_t number[2]);
/* Makes the file SIZE bytes long with all blocks from OLD_SIZE allocated, so that a store into the mapping
 * can't fail. Never raises SIGXFSZ. */
OF_INTERNAL int of_allocate(int descriptor, uint64_t old_size, uint64_t size);
/* Makes the file at least SIZE bytes long, with one block at the end, if the file system can do that. */
OF_INTERNAL void of_lengthen(int descriptor, uint64_t size);
/* Allocates the blocks of SIZE bytes at ADDRESS, in the mapping of a file that need not be open any more, so that a
 * store can't fail. Returns 0 or -errno; -errno also if the file ends before these bytes. ADDRESS and SIZE are
 * multiples of the page size. */
OF_INTERNAL int of_allocate_mapped(void *address, size_t size);

/* Maps SIZE bytes of a file shared, readable and writable, for random access. SIZE may exceed the file.
 * NULL on failure. */
OF_INTERNAL void *of_map(int descriptor, size_t size);
OF_INTERNAL void of_unmap(void *address, size_t size);
/* Copies SIZE bytes of this process's memory from ADDRESS. Returns false if ADDRESS is out of bounds or after the end
 * of a mapped file, or if the system can't do that. */
OF_INTERNAL bool of_read_memory(const void *address, void *buffer, size_t size);
/* SIZE zero bytes for this process alone, or NULL. */
OF_INTERNAL void *of_map_memory(size_t size);
/* The number of bytes that the process may map in total. */
OF_INTERNAL uint64_t of_address_space(void);
/* A page of this process alone that is zero, and is zero again in a forked child; NULL if the kernel can't do that. */
OF_INTERNAL void *of_page_wiped_on_fork(void);

/* Writes to standard error, and ignores errors. */
OF_INTERNAL void of_write_error(const char *text, size_t size);
/* A number of the file that is standard error; 0 if it is closed. */
OF_INTERNAL uint64_t of_standard_error(void);
/* Arranges for FINISH to be called at exit, and when the image that contains this copy is unloaded. From
 * initializers only. */
OF_INTERNAL void of_watch_exit(void (*finish)(void));
/* Sleeps for a tenth of a millisecond: on a busy machine, a thread that only yields gets the processor
 * back before the one that it waits for. */
OF_INTERNAL void of_pause(void);
#define OF_PATIENCE 1000 /* how many pauses to wait for another thread or process, at most */

#endif
