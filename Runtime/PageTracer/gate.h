/* The only range of addresses whose system calls are not intercepted, and its contents: gate_x86_64.c.
 *
 * Any thread, any signal handler, from the first instruction of this library on. */
#ifndef OF_GATE_H
#define OF_GATE_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__linux__) && defined(__x86_64__)
#define OF_TRACER_IS_SUPPORTED 1

/* Makes a system call that is not intercepted, and returns its result or -errno. */
OF_INTERNAL long of_gate_call(long number, long a, long b, long c, long d, long e, long f);
#define OF_CALL_0(n) of_gate_call(n, 0, 0, 0, 0, 0, 0)
#define OF_CALL_2(n, a, b) of_gate_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define OF_CALL_3(n, a, b, c) of_gate_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define OF_CALL_4(n, a, b, c, d) of_gate_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define OF_CALL_6(n, a, b, c, d, e, f) \
  of_gate_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Returns from a signal handler; passed to the kernel, and never called. */
OF_INTERNAL void of_gate_return_from_signal(void);

/* Read and write the byte at ADDRESS; -1 if that is not possible. If a fault occurs at an instruction for which
 * of_gate_is_access is true, the handler of the fault continues at of_gate_after_failure. */
OF_INTERNAL int of_gate_peek(uint64_t address);
OF_INTERNAL int of_gate_poke(uint64_t address, uint8_t byte);
OF_INTERNAL bool of_gate_is_access(uint64_t counter);
OF_INTERNAL uint64_t of_gate_after_failure(void);

/* Returns the stub that makes the call whose instruction ends at RETURN_ADDRESS; 0 if there is no room. */
OF_INTERNAL uint64_t of_gate_stub(uint64_t return_address, bool makes_process);

/* Returns the stub for a call that waits with a signal mask on the stack (system_calls.c); 0 if there is no room. */
OF_INTERNAL uint64_t of_gate_wait_stub(uint64_t return_address);

/* Returns the stub that sets a signal stack and then repeats the system call at INSTRUCTION (signal_stacks.c); 0 if
 * there is no room. */
OF_INTERNAL uint64_t of_gate_repeat_stub(uint64_t instruction);

/* Called by the stub of a new thread or process, before its first instruction. Set it before of_gate_begin. */
extern OF_DATA void (*of_gate_task_began)(void);

/* Enables interception of this thread's system calls, while the selector is OF_GATE_STOP. Returns 0 or -errno. */
OF_INTERNAL long of_gate_begin(void);
extern OF_DATA char of_gate_selector; /* for all threads; the kernel reads it at each call */
enum { OF_GATE_PASS = 0, OF_GATE_STOP = 1 };

#endif
#endif
