/* orderfile_runtime.h: what a program may say to the recorder that is linked into it.
 *
 * Nothing here is needed in the default case. Link the recorder (orderfile_rt.o) into a build whose
 * compiles carry
 *
 *     -fsanitize-coverage=func,trace-pc-guard,pc-table
 *
 * and launch it with ORDERFILE_TRACE=path in the environment, or by `orderfile record`. Without that
 * variable the recorder is silent: no file, no output. For apps there is the SwiftPM product
 * OrderFileRuntime, which brings the recorder and a Swift face of these functions.
 *
 * All functions below may be called from any thread, from signal handlers, before main and after
 * exit has begun. None of them allocates, blocks or fails. A program that is linked without the
 * recorder links all the same, and the calls do nothing: they cost one test of an address, or on Mach-O
 * one call of an empty function.
 *
 * Environment, read when the first instrumented image is initialised, ignored in a set-user-ID program
 * (AT_SECURE, issetugid). A library with a recorder of its own that is loaded later joins the trace of the
 * process, also if the program has changed its folder or cleared its environment by then (on Mach-O, if
 * the program or the library loaded first exports its recorder, as they do unless told not to):
 *
 *   ORDERFILE_TRACE          path of the trace. %p is the process number, %n the program's file name,
 *                            %% a percent sign. A relative path starts from the current folder; on
 *                            iOS, tvOS, watchOS and visionOS, whose apps can't write there, from
 *                            $HOME/Documents, which is in the app's container, or from $TMPDIR
 *                            without $HOME. A path owned by a living process, or by this process
 *                            before it called exec, gets ".<pid>" added; so does the trace of a
 *                            forked child if the path has no %p. What a dead process left there is
 *                            replaced, a file that is no trace never. Only its user may read and write a
 *                            trace, whatever the umask.
 *   ORDERFILE_STOP_AT        name of the mark at which the launch is over.
 *   ORDERFILE_STOP_AFTER_MS  milliseconds from initialisation to the end of the launch; checked at the
 *                            next first hit.
 *   ORDERFILE_NAMES          "dladdr": at exit, add the names that dladdr knows, for a machine from
 *                            which no unstripped image can be had.
 *   ORDERFILE_SESSION        a number; traces of one session never replace each other.
 *
 * What survives: everything recorded, through _exit, abort, SIGKILL and crashes, because the trace is
 * a file mapped shared. Only hits, marks and stops before the first initialisation wait in memory.
 *
 * A forked child writes a trace of its own, of what its parent had not hit, from its first hit on; one
 * that hits nothing leaves none. A child of vfork shares its parent's memory, and its trace (on Darwin
 * vfork is fork).
 *
 * What it takes: 1 GiB of address space, or a sixteenth of RLIMIT_AS, or 256 MiB on iOS; memory and disk
 * only for what is instrumented. On Linux, in a program of several threads, and with a libc that does not
 * say how many there are, a first hit makes one system call, gettid: a program that forbids itself even
 * that (strict seccomp) should call orderfile_stop() before. A thread that a program makes without libc is recorded as its only one.
 */
#ifndef ORDERFILE_RUNTIME_H
#define ORDERFILE_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's side; do not call these. Where the recorder is not linked they are null on ELF. Mach-O
 * knows no symbol that may be missing: there each file brings an empty function along, which gives way to
 * the recorder's in the link. Not a hidden one: `ld -r`, by which Xcode makes one object of a package's
 * target, would make it that object's own. */
#if defined(__APPLE__)
#define ORDERFILE_STAND_IN __attribute__((weak, visibility("default"), no_sanitize("coverage")))
ORDERFILE_STAND_IN extern void orderfile_rt_mark(const char *name);
ORDERFILE_STAND_IN extern void orderfile_rt_stop(void);
ORDERFILE_STAND_IN extern void orderfile_rt_write_names(void);
void orderfile_rt_mark(const char *name) { (void)name; }
void orderfile_rt_stop(void) {}
void orderfile_rt_write_names(void) {}
#undef ORDERFILE_STAND_IN
#define ORDERFILE_IS_LINKED(function) 1
#else
extern void orderfile_rt_mark(const char *name) __attribute__((weak));
extern void orderfile_rt_stop(void) __attribute__((weak));
extern void orderfile_rt_write_names(void) __attribute__((weak));
#define ORDERFILE_IS_LINKED(function) (function)
#endif

/* Writes a mark: from here on the launch is in the stage called NAME ("first screen").
 *
 * NAME is copied before the call returns; at most 255 bytes are kept. NAME must not be NULL. If
 * ORDERFILE_STOP_AT names it, recording stops after the mark. */
static inline void orderfile_mark(const char *name) {
  if (ORDERFILE_IS_LINKED(orderfile_rt_mark)) orderfile_rt_mark(name);
}

/* Ends the launch: no hit after this call is recorded, in no thread and no image of the process.
 *
 * A forked child of a stopped process stays stopped. There is no way to start again. */
static inline void orderfile_stop(void) {
  if (ORDERFILE_IS_LINKED(orderfile_rt_stop)) orderfile_rt_stop();
}

/* Adds the names that dladdr knows for all functions recorded so far. Slow, and unlike the others
 * not to be called from a signal handler. On ELF dladdr knows exported functions only: prefer a
 * sealed trace or the unstripped image wherever one can be had. */
static inline void orderfile_write_names(void) {
  if (ORDERFILE_IS_LINKED(orderfile_rt_write_names)) orderfile_rt_write_names();
}

/* A program may define this to be recorded without any environment variable, say on a device where
 * none can be set, or an app that is launched by a tap. The syntax is ORDERFILE_TRACE's, and the variable,
 * if set, comes first:
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
