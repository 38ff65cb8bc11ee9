/* The only range of addresses whose system calls are not intercepted. */
#define _GNU_SOURCE
#include "gate.h"

#if OF_TRACER_IS_SUPPORTED
#include <linux/prctl.h>
#include <of_atomics.h>
#include <sys/syscall.h>

/* The maximum number of call sites; a launch has some hundreds. */
enum { STUBS = 4096, PROCESS_STUBS = 64, PROCESS_STUB_SIZE = 128, WAIT_STUBS = 64, WAIT_STUB_SIZE = 64 };
enum { REPEAT_STUBS = 32, REPEAT_STUB_SIZE = 64 };

OF_DATA char of_gate_selector = OF_GATE_STOP;
/* For each stub, the address where it continues; 0 if it is free. */
OF_DATA uint64_t of_gate_targets[STUBS];
OF_DATA uint64_t of_gate_process_targets[PROCESS_STUBS];
OF_DATA uint64_t of_gate_wait_targets[WAIT_STUBS];
OF_DATA uint64_t of_gate_repeat_targets[REPEAT_STUBS];
OF_DATA void (*of_gate_task_began)(void);

extern OF_DATA char of_gate_start[], of_gate_end[], of_gate_stubs[], of_gate_process_stubs[], of_gate_wait_stubs[];
extern OF_DATA char of_gate_repeat_stubs[];
extern OF_DATA char of_gate_peek_load[], of_gate_poke_store[], of_gate_access_failed[];

__asm__(
    ".pushsection .text\n"
    ".p2align 12\n"
    ".hidden of_gate_start, of_gate_end, of_gate_stubs, of_gate_process_stubs, of_gate_call\n"
    ".hidden of_gate_return_from_signal, of_gate_peek, of_gate_peek_load, of_gate_poke, of_gate_poke_store\n"
    ".hidden of_gate_access_failed, of_gate_wait_stubs, of_gate_repeat_stubs\n"
    ".globl of_gate_start, of_gate_end, of_gate_stubs, of_gate_process_stubs, of_gate_call\n"
    ".globl of_gate_return_from_signal, of_gate_peek, of_gate_peek_load, of_gate_poke, of_gate_poke_store\n"
    ".globl of_gate_access_failed, of_gate_wait_stubs, of_gate_repeat_stubs\n"
    "of_gate_start:\n"

    ".type of_gate_call, @function\n"
    "of_gate_call:\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n  mov %r9, %r8\n  mov 8(%rsp), %r9\n"
    "  syscall\n  ret\n"

    ".type of_gate_return_from_signal, @function\n"
    "of_gate_return_from_signal:\n"
    "  mov $15, %eax\n" /* SYS_rt_sigreturn */
    "  syscall\n"

    ".type of_gate_peek, @function\n"
    "of_gate_peek:\n"
    "of_gate_peek_load:\n"
    "  movzbl (%rdi), %eax\n"
    "  ret\n"
    ".type of_gate_poke, @function\n"
    "of_gate_poke:\n"
    "of_gate_poke_store:\n"
    "  mov %sil, (%rdi)\n"
    "  xor %eax, %eax\n"
    "  ret\n"
    "of_gate_access_failed:\n"
    "  mov $-1, %eax\n"
    "  ret\n"

    ".p2align 4\n"
    "of_gate_stubs:\n"
    ".set of_gate_at, 0\n"
    ".rept 4096\n"
    "  syscall\n"
    "  jmp *of_gate_targets+of_gate_at(%rip)\n"
    ".set of_gate_at, of_gate_at + 8\n"
    ".endr\n"

    /* A new task starts without interception. So its stub enables interception, as of_gate_begin does, and may give the
     * task a signal stack. The stub works below the red zone of the task's stack. The stack may be the parent's
     * (vfork), but nobody else uses it meanwhile. Only rcx and r11 change, as in the call itself. */
    ".p2align 7\n"
    "of_gate_process_stubs:\n"
    ".set of_gate_at, 0\n"
    ".rept 64\n"
    ".balign 128\n"
    "  syscall\n"
    "  test %rax, %rax\n"
    "  jnz 1f\n"
    "  lea -128(%rsp), %rsp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %r10\n  push %r8\n  push %r9\n"
    "  mov $157, %eax\n" /* SYS_prctl */
    "  mov $59, %edi\n"  /* PR_SET_SYSCALL_USER_DISPATCH */
    "  mov $1, %esi\n"   /* PR_SYS_DISPATCH_ON */
    "  lea of_gate_start(%rip), %rdx\n"
    "  mov $of_gate_end - of_gate_start, %r10d\n"
    "  lea of_gate_selector(%rip), %r8\n"
    "  syscall\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  and $-16, %rsp\n"
    "  call *of_gate_task_began(%rip)\n"
    "  mov %rbp, %rsp\n"
    "  pop %rbp\n"
    "  xor %eax, %eax\n"
    "  pop %r9\n  pop %r8\n  pop %r10\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
    "  lea 128(%rsp), %rsp\n"
    "1:\n"
    "  jmp *of_gate_process_targets+of_gate_at(%rip)\n"
    ".set of_gate_at, of_gate_at + 8\n"
    ".endr\n"
    ".balign 128\n"

    /* Stubs for a call that waits with a signal mask on the stack, in a struct wait (system_calls.c). The stub restores
     * the registers of arguments from the struct: a system call must not change them. */
    "of_gate_wait_stubs:\n"
    ".set of_gate_at, 0\n"
    ".rept 64\n"
    ".balign 64\n"
    "  syscall\n"
    "  mov (%rsp), %rdi\n  mov 8(%rsp), %r10\n  mov 16(%rsp), %r8\n  mov 24(%rsp), %r9\n"
    "  lea 192(%rsp), %rsp\n"
    "  jmp *of_gate_wait_targets+of_gate_at(%rip)\n"
    ".set of_gate_at, of_gate_at + 8\n"
    ".endr\n"

    /* Stubs for sigaltstack(2) before a call of the program, with a struct exchange (signal_stacks.c) on the stack. The
     * stub restores the registers of the program's call from the struct, and continues at the instruction of that
     * call. */
    ".p2align 6\n"
    "of_gate_repeat_stubs:\n"
    ".set of_gate_at, 0\n"
    ".rept 32\n"
    ".balign 64\n"
    "  syscall\n"
    "  mov (%rsp), %rdi\n  mov 8(%rsp), %rsi\n  mov 16(%rsp), %rax\n"
    "  lea 192(%rsp), %rsp\n"
    "  jmp *of_gate_repeat_targets+of_gate_at(%rip)\n"
    ".set of_gate_at, of_gate_at + 8\n"
    ".endr\n"
    ".balign 128\n"
    "of_gate_end:\n"
    ".popsection\n");

long of_gate_begin(void) {
  return of_gate_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
                      (long)of_gate_start, of_gate_end - of_gate_start, (long)&of_gate_selector, 0);
}

bool of_gate_is_access(uint64_t counter) {
  return counter == (uint64_t)(uintptr_t)of_gate_peek_load ||
         counter == (uint64_t)(uintptr_t)of_gate_poke_store;
}

uint64_t of_gate_after_failure(void) { return (uint64_t)(uintptr_t)of_gate_access_failed; }

/* Returns the index of the stub that returns to RETURN_ADDRESS; COUNT if there is no room. */
OF_LOCAL uint32_t of_stub_for(uint64_t return_address, uint64_t *targets, uint32_t count) {
  uint32_t index = (uint32_t)(return_address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % count;
  for (uint32_t tries = 0; tries < count; tries++, index = (index + 1) % count) {
    /* relaxed, both: a place publishes nothing but its value, which is set once */
    uint64_t target = of_load_relaxed(&targets[index]);
    if (target == 0 && of_compare_exchange_relaxed(&targets[index], &target, return_address))
      target = return_address;
    if (target == return_address) return index;
  }
  return count;
}

uint64_t of_gate_stub(uint64_t return_address, bool makes_process) {
  uint64_t *targets = makes_process ? of_gate_process_targets : of_gate_targets;
  uint32_t count = makes_process ? PROCESS_STUBS : STUBS;
  uint32_t index = of_stub_for(return_address, targets, count);
  if (index == count) return 0;
  return (uint64_t)(uintptr_t)(makes_process ? of_gate_process_stubs + index * PROCESS_STUB_SIZE
                                             : of_gate_stubs + index * 8);
}

uint64_t of_gate_wait_stub(uint64_t return_address) {
  uint32_t index = of_stub_for(return_address, of_gate_wait_targets, WAIT_STUBS);
  return index == WAIT_STUBS ? 0 : (uint64_t)(uintptr_t)(of_gate_wait_stubs + index * WAIT_STUB_SIZE);
}

uint64_t of_gate_repeat_stub(uint64_t instruction) {
  uint32_t index = of_stub_for(instruction, of_gate_repeat_targets, REPEAT_STUBS);
  return index == REPEAT_STUBS ? 0 : (uint64_t)(uintptr_t)(of_gate_repeat_stubs + index * REPEAT_STUB_SIZE);
}
#endif
