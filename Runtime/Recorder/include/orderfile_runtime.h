/* orderfile_runtime.h: functions that a program can call in the recorder that is linked into it.
 *
 * A program needs no call by default. Link the recorder (orderfile_rt.o) into a build that is compiled with
 *
 *     -fsanitize-coverage=func,trace-pc-guard,pc-table
 *
 * (with trace-loads,trace-stores in addition, the first touches of data are recorded, too)
 * and launch it with ORDERFILE_TRACE=path in the environment, or with `orderfile record`. Without this variable the
 * recorder does nothing: no file, no output. For apps there is the SwiftPM product OrderFileRuntime, which contains the
 * recorder and a Swift interface to these functions.
 *
 * All functions below may be called from any thread, from signal handlers, before main and after exit has
 * begun. None of them allocates, blocks or fails. An image can also be linked without the recorder; then the
 * calls do nothing, and cost one test of an address.
 *
 * Environment variables are read when the first instrumented image is initialized, and ignored in a
 * set-user-ID program (AT_SECURE, issetugid). A library with its own recorder that is loaded later joins the
 * trace of the process, even if the program has changed its folder or cleared its environment by then (on
 * Mach-O, if the program or the library loaded first exports its recorder, as they do by default):
 *
 *   ORDERFILE_TRACE          path of the trace. %p is the process number, %n the program's file name,
 *                            %% a percent sign. A relative path is relative to the current folder. Apps of
 *                            iOS, watchOS, visionOS and tvOS can't write there: the path is relative to
 *                            $HOME/Documents, on tvOS to $HOME/Library/Caches, which are in the app's
 *                            container, or to $TMPDIR without $HOME. ".<pid>" is appended if the path
 *                            belongs to a living process, or to this process before it called exec, and
 *                            for a forked child if the path has no %p. The trace of a dead process is
 *                            replaced; a file that is not a trace is never replaced. Only the user of the
 *                            process may read and write a trace, whatever the umask.
 *   ORDERFILE_STOP_AT        name of the mark that ends the recording; the first 255 bytes count.
 *   ORDERFILE_STOP_AFTER_MS  milliseconds from initialization to the end of the recording; checked at
 *                            the next first hit.
 *   ORDERFILE_PAYLOAD        path of a payload: which functions ran, in a few hundred bytes without names, paths and
 *                            times of day. The path has the syntax of ORDERFILE_TRACE. Without a recorded trace, no
 *                            payload is written. The payload is written when the launch ends: at the mark, the time or
 *                            the stop, or else at exit. It replaces an earlier payload or an empty file, but no other
 *                            file. A forked child writes none, and neither does a program that this program starts,
 *                            unless the path contains %p, or the path of ORDERFILE_TRACE names another file for that
 *                            program, by %p or %n. The file orderfile.day beside it has the device's random number of
 *                            the day.
 *   ORDERFILE_PAYLOAD_SIZE   the most bytes of a payload, up to 65536 (default: 2048). The program gets room first; an
 *                            image that finds no room is left out of the payload.
 *   ORDERFILE_NAMES          "dladdr": at exit, add the names that dladdr knows, if there is no
 *                            unstripped image.
 *   ORDERFILE_SESSION        a number; traces of one session never replace each other.
 *
 * Everything that was recorded survives _exit, abort, SIGKILL and crashes, because the trace is a file mapped
 * shared. Only hits, marks and stops before the first initialization wait in memory.
 *
 * A forked child writes its own trace, from its first hit on, of what its parent had not hit; a child without hits
 * leaves no trace. While one of its threads creates the trace, the others wait at their first hits, for a few tenths of
 * a second at most; what they hit after that is counted as lost. A child of vfork shares its parent's memory and trace
 * (on Darwin vfork is fork).
 *
 * Costs: 1 GiB of address space, or a sixteenth of RLIMIT_AS, or 256 MiB on iOS, which mlockall(2) counts; memory and
 * disk only for what is instrumented. A first hit reads the time-stamp counter. On Linux it also makes one system call,
 * gettid, if the program has several threads, or if the libc does not show how many there are. A program that forbids
 * itself the counter or the call (strict seccomp forbids both, PR_SET_TSC the counter) should call orderfile_stop()
 * before: after that the recorder uses neither. A thread created without libc is recorded as the program's only thread.
 */
#ifndef ORDERFILE_RUNTIME_H
#define ORDERFILE_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's side; do not use it. Mach-O has no optional symbols: there the recorder lists its functions in a
 * section of its own. The linker defines where the section begins and ends; without the recorder the section is
 * empty. */
#if defined(__APPLE__)
#define ORDERFILE_RT_SECTION "__DATA,__orderfile"
struct orderfile_rt_functions {
  void (*mark)(const char *name);
  void (*stop)(void);
  void (*write_names)(void);
  unsigned long (*write_payload)(void *buffer, unsigned long size, unsigned long token);
};
extern const struct orderfile_rt_functions orderfile_rt_first[] __asm__(
    "section$start$__DATA$__orderfile");
extern const struct orderfile_rt_functions orderfile_rt_end[] __asm__("section$end$__DATA$__orderfile");
__attribute__((always_inline)) static inline const struct orderfile_rt_functions *
orderfile_rt_linked(void) {
  const struct orderfile_rt_functions *functions = orderfile_rt_first;
  __asm__("" : "+r"(functions)); /* compilers take for granted that two arrays have two addresses */
  return functions != orderfile_rt_end ? functions : 0;
}
#define ORDERFILE_RT_RESULT(function, arguments) \
  (orderfile_rt_linked() ? orderfile_rt_linked()->function arguments : 0)
#define ORDERFILE_RT_CALL(function, arguments)                                        \
  do {                                                                                \
    const struct orderfile_rt_functions *orderfile_functions = orderfile_rt_linked(); \
    if (orderfile_functions) orderfile_functions->function arguments;                 \
  } while (0)
#else
extern void orderfile_rt_mark(const char *name) __attribute__((weak));
extern void orderfile_rt_stop(void) __attribute__((weak));
extern void orderfile_rt_write_names(void) __attribute__((weak));
extern unsigned long orderfile_rt_write_payload(void *buffer, unsigned long size, unsigned long token)
    __attribute__((weak));
#define ORDERFILE_RT_RESULT(function, arguments) (orderfile_rt_##function ? orderfile_rt_##function arguments : 0)
#define ORDERFILE_RT_CALL(function, arguments)                      \
  do {                                                              \
    if (orderfile_rt_##function) orderfile_rt_##function arguments; \
  } while (0)
#endif

/* Writes a mark called NAME ("first screen").
 *
 * NAME is copied before the call returns; at most 255 bytes are kept. NAME must not be NULL. If
 * ORDERFILE_STOP_AT names the mark, recording stops after it. A trace has room for about 380 marks with names of up
 * to 36 bytes; further ones are counted as lost. */
static inline void orderfile_mark(const char *name) {
  ORDERFILE_RT_CALL(mark, (name));
}

/* Ends the recording: no hit after this call is recorded, in any thread or image of the process.
 *
 * A forked child of a stopped process stays stopped. Recording cannot be started again. */
static inline void orderfile_stop(void) {
  ORDERFILE_RT_CALL(stop, ());
}

/* Makes the payload of the launch so far in the SIZE bytes at BUFFER, to be sent to the program's developers. With
 * ORDERFILE_PAYLOAD, see above, no call is needed. 2048 bytes are enough for any 3,000 of the 10,000 functions of an
 * image.
 *
 * TOKEN is a random number by which devices are counted; 0 if the program has no such number. The program keeps the
 * number until the day (UTC) ends, and then draws another number for the device. Returns the size of the payload in
 * bytes. Returns 0 if nothing is recorded, if no image finds room in BUFFER, in a forked child, and while another
 * thread loads an image. */
static inline unsigned long orderfile_write_payload(void *buffer, unsigned long size, unsigned long token) {
  return ORDERFILE_RT_RESULT(write_payload, (buffer, size, token));
}

/* Adds the names that dladdr knows for all functions recorded so far. It is slow and, unlike the other
 * functions, must not be called from a signal handler. On ELF dladdr knows exported functions only: prefer
 * a sealed trace or the unstripped image. */
static inline void orderfile_write_names(void) {
  ORDERFILE_RT_CALL(write_names, ());
}

/* A program may define this to be recorded without an environment variable, for example on a device where
 * none can be set, or if the app is launched by a tap. The string has the syntax of ORDERFILE_TRACE. If
 * that variable is set, it takes precedence:
 *
 *     const char orderfile_default_trace[] = "/data/local/tmp/%n.%p.oftrace";
 *     const char orderfile_default_trace[] = "%n.oftrace"; // on iOS: in the app's Documents
 */
#if defined(__APPLE__)
extern const char orderfile_default_trace[] __attribute__((visibility("default")));
#else
extern const char orderfile_default_trace[] __attribute__((weak));
#endif

#ifdef __cplusplus
}
#endif

#endif
