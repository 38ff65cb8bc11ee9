/* The tracer process: a child that outlives this process until it has restored the traced threads. Linux;
 * elsewhere ENOTSUP. */
#ifndef CTRACE_PROCESS_H
#define CTRACE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/* Starts a process that calls BODY with CONTEXT and one end of a stream, and ends when BODY returns. It
 * has its own session and no file but the stream and /dev/null. Each other descriptor that is open in this
 * process is /dev/null in the new one. The new process can only be killed by SIGKILL: signals that end a
 * process by default end its stream instead (ctrace_was_told_to_end).
 *
 * Call it while this process has one thread. Stores the other end, which exec closes. Returns 0 or an
 * errno. */
int ctrace_start_process(void (*body)(void *context, int stream), void *context, pid_t *pid,
                         int *stream);

/* For the tracer process: whether it received SIGTERM, SIGINT, SIGHUP or SIGQUIT. */
bool ctrace_was_told_to_end(void);

/* For the tracer process: waits until an attached thread stops or ends, or the stream can be read or has ended, for at
 * most NANOSECONDS; negative for no limit. If STREAM is negative, waits for threads only. Returns the thread's number
 * with the *STATUS of waitpid(2), 0 for the stream and for a signal, or -errno: -ECHILD if nothing is attached, -EINTR
 * if the time is over. */
pid_t ctrace_wait(int stream, int64_t nanoseconds, int *status);

/* Send and receive exactly SIZE bytes; false if the other end is closed. */
bool ctrace_send(int stream, const void *bytes, size_t size);
bool ctrace_receive(int stream, void *bytes, size_t size);

/* Waits until STREAM can be read or has ended, for at most MILLISECONDS; negative for no limit. Returns 1, 0 if the
 * time ran out, or -errno: -EINTR after a signal. */
int ctrace_poll(int stream, int64_t milliseconds);

/* Closes STREAM, and waits until the process has ended. */
void ctrace_end_process(pid_t pid, int stream);

#pragma clang assume_nonnull end

#endif
