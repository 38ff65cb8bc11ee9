/* The process that traces: a child of its own, which outlives this one for as long as it takes to leave the
 * traced threads as they were. Linux; elsewhere ENOTSUP. */
#ifndef CTRACE_PROCESS_H
#define CTRACE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Starts a process that calls BODY with CONTEXT and one end of a stream, and ends when that returns. It has a
 * session of its own, no file but the stream and /dev/null, and can only be killed on purpose: signals that end
 * a process by default end the stream for it instead (ctrace_was_told_to_end).
 *
 * To be called while this process has one thread. Stores the other end, which is closed by exec. Returns 0 or
 * an errno. */
int ctrace_start_process(void (*body)(void *context, int stream), void *context, pid_t *pid,
                         int *stream);

/* In that process: whether it got SIGTERM, SIGINT, SIGHUP or SIGQUIT. */
bool ctrace_was_told_to_end(void);

/* In that process: waits until a thread that is attached stops or ends, or the stream can be read or has ended.
 * With a negative STREAM only for threads. Returns the thread's number with *STATUS as waitpid(2) has it, 0 for
 * the stream and for a signal, or -errno: -ECHILD if nothing is attached. */
pid_t ctrace_wait(int stream, int *status);

/* Sends SIZE bytes, and reads exactly as many; false if the other end is closed. */
bool ctrace_send(int stream, const void *bytes, size_t size);
bool ctrace_receive(int stream, void *bytes, size_t size);

/* Waits until STREAM can be read or has ended: for so many milliseconds, negative for ever. Returns 1, 0 if the
 * time ran out, or -errno: -EINTR after a signal. */
int ctrace_poll(int stream, int64_t milliseconds);

/* Waits for the end of the process, whose stream has ended or is closed. */
void ctrace_end_process(pid_t pid, int stream);

#pragma clang assume_nonnull end

#endif
