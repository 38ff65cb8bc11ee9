/* System calls without libc: no errno, no cancellation point, no interposed wrapper, usable before
 * relocation. Numbers from asm/unistd.h; conventions from syscall(2). */
#ifndef OF_LINUX_SYSCALL_H
#define OF_LINUX_SYSCALL_H

#if defined(__linux__)
#include <asm/unistd.h>
#include <of_attributes.h>

OF_INLINE long of_syscall(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#endif
}

#define OF_SYSCALL_1(n, a) of_syscall((n), (long)(a), 0, 0, 0, 0, 0)
#define OF_SYSCALL_2(n, a, b) of_syscall((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define OF_SYSCALL_3(n, a, b, c) of_syscall((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define OF_SYSCALL_4(n, a, b, c, d) of_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define OF_SYSCALL_5(n, a, b, c, d, e) \
  of_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define OF_SYSCALL_6(n, a, b, c, d, e, f) \
  of_syscall((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
#endif
