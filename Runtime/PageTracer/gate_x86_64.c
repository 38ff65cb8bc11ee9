/* The one range of addresses whose system calls do not stop. */
#define _GNU_SOURCE
#include "tracer.h"

#if TRACER_IS_SUPPORTED
#include <linux/prctl.h>
#include <sys/syscall.h>

/* As many places that call as there are stubs; a launch has some hundreds. */
enum { STUBS = 4096, PROCESS_STUBS = 64, PROCESS_STUB_SIZE = 128 };

char gate_selector = GATE_STOP;
/* Of each stub, where it goes on; 0 if it is free. */
HIDDEN uint64_t gate_targets[STUBS];
HIDDEN uint64_t gate_process_targets[PROCESS_STUBS];

HIDDEN extern char gate_start[], gate_end[], gate_stubs[], gate_process_stubs[];
HIDDEN extern char gate_peek_load[], gate_poke_store[], gate_access_failed[];

__asm__(
    ".pushsection .text\n"
    ".p2align 12\n"
    ".hidden gate_start, gate_end, gate_stubs, gate_process_stubs, gate_call\n"
    ".hidden gate_return_from_signal, gate_peek, gate_peek_load, gate_poke, gate_poke_store\n"
    ".hidden gate_access_failed\n"
    ".globl gate_start, gate_end, gate_stubs, gate_process_stubs, gate_call\n"
    ".globl gate_return_from_signal, gate_peek, gate_peek_load, gate_poke, gate_poke_store\n"
    ".globl gate_access_failed\n"
    "gate_start:\n"

    ".type gate_call, @function\n"
    "gate_call:\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n  mov %r9, %r8\n  mov 8(%rsp), %r9\n"
    "  syscall\n  ret\n"

    ".type gate_return_from_signal, @function\n"
    "gate_return_from_signal:\n"
    "  mov $15, %eax\n" /* SYS_rt_sigreturn */
    "  syscall\n"

    ".type gate_peek, @function\n"
    "gate_peek:\n"
    "gate_peek_load:\n"
    "  movzbl (%rdi), %eax\n"
    "  ret\n"
    ".type gate_poke, @function\n"
    "gate_poke:\n"
    "gate_poke_store:\n"
    "  mov %sil, (%rdi)\n"
    "  xor %eax, %eax\n"
    "  ret\n"
    "gate_access_failed:\n"
    "  mov $-1, %eax\n"
    "  ret\n"

    ".p2align 4\n"
    "gate_stubs:\n"
    ".set gate_at, 0\n"
    ".rept 4096\n"
    "  syscall\n"
    "  jmp *gate_targets+gate_at(%rip)\n"
    ".set gate_at, gate_at + 8\n"
    ".endr\n"

    /* A new task goes on with its own system calls passing, so it asks for them to stop, as gate_begin
     * does. Below the red zone of the stack that it has, which may be its parent's (vfork): nobody else uses
     * that meanwhile. */
    ".p2align 7\n"
    "gate_process_stubs:\n"
    ".set gate_at, 0\n"
    ".rept 64\n"
    ".balign 128\n"
    "  syscall\n"
    "  test %rax, %rax\n"
    "  jnz 1f\n"
    "  lea -128(%rsp), %rsp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %r10\n  push %r8\n"
    "  mov $157, %eax\n" /* SYS_prctl */
    "  mov $59, %edi\n"  /* PR_SET_SYSCALL_USER_DISPATCH */
    "  mov $1, %esi\n"   /* PR_SYS_DISPATCH_ON */
    "  lea gate_start(%rip), %rdx\n"
    "  mov $gate_end - gate_start, %r10d\n"
    "  lea gate_selector(%rip), %r8\n"
    "  syscall\n"
    "  xor %eax, %eax\n"
    "  pop %r8\n  pop %r10\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
    "  lea 128(%rsp), %rsp\n"
    "1:\n"
    "  jmp *gate_process_targets+gate_at(%rip)\n"
    ".set gate_at, gate_at + 8\n"
    ".endr\n"
    ".balign 128\n"
    "gate_end:\n"
    ".popsection\n");

TRACER_BEGIN

long gate_begin(void) {
  return gate_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)gate_start,
                   gate_end - gate_start, (long)&gate_selector, 0);
}

bool gate_is_access(uint64_t counter) {
  return counter == (uint64_t)(uintptr_t)gate_peek_load ||
         counter == (uint64_t)(uintptr_t)gate_poke_store;
}

uint64_t gate_after_failure(void) { return (uint64_t)(uintptr_t)gate_access_failed; }

uint64_t gate_stub(uint64_t return_address, bool makes_process) {
  uint64_t *targets = makes_process ? gate_process_targets : gate_targets;
  uint32_t count = makes_process ? PROCESS_STUBS : STUBS;
  uint32_t index = (uint32_t)(return_address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % count;
  for (uint32_t tries = 0; tries < count; tries++, index = (index + 1) % count) {
    uint64_t target = __atomic_load_n(&targets[index], __ATOMIC_RELAXED);
    if (target == 0 &&
        __atomic_compare_exchange_n(&targets[index], &target, return_address, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      target = return_address;
    if (target == return_address)
      return (uint64_t)(uintptr_t)(makes_process ? gate_process_stubs + index * PROCESS_STUB_SIZE
                                                 : gate_stubs + index * 8);
  }
  return 0;
}
TRACER_END
#endif
