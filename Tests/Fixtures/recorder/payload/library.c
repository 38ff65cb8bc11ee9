void in_library(void);
__attribute__((noinline)) void in_library(void) { __asm__ volatile(""); }
