// A program of 10,000 functions. Does what its arguments say, one after the other:
//   run=FIRST,COUNT,STEP  runs COUNT functions, beginning with number FIRST, each STEP after the one before
//   random=SEED,COUNT     runs COUNT functions that a generator of random numbers chooses
//   call=PATH             calls the function in_library of the library PATH
//   mark=NAME, stop
//   fork                  goes on in the child; the parent waits and ends
//   system=COMMAND        runs COMMAND in a shell
//   loading=PATH          loads the library PATH, and stops the recording while the library is being registered
//   quit                  ends without exit handlers
//   payload=SIZE          writes the payload of the launch so far, which may have SIZE bytes, to stdout
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <orderfile_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n) __attribute__((noinline)) static void f##n(void) { __asm__ volatile("" : : "i"(1##n)); }
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) \
  TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) \
  TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define THOUSAND(X, n) \
  HUNDRED(X, n##0) HUNDRED(X, n##1) HUNDRED(X, n##2) HUNDRED(X, n##3) HUNDRED(X, n##4) \
  HUNDRED(X, n##5) HUNDRED(X, n##6) HUNDRED(X, n##7) HUNDRED(X, n##8) HUNDRED(X, n##9)
#define ALL(X) \
  THOUSAND(X, 0) THOUSAND(X, 1) THOUSAND(X, 2) THOUSAND(X, 3) THOUSAND(X, 4) \
  THOUSAND(X, 5) THOUSAND(X, 6) THOUSAND(X, 7) THOUSAND(X, 8) THOUSAND(X, 9)

ALL(FUNCTION)
static void (*const functions[])(void) = {ALL(NAME)};
static unsigned char payload[1 << 17];

// The recorder calls this function while it registers an image.
typedef int callback_type(struct dl_phdr_info *, size_t, void *);
static int stops;
__attribute__((no_sanitize("coverage"))) int dl_iterate_phdr(callback_type *callback, void *context) {
  static int (*next)(callback_type *, void *);
  if (!next) next = (int (*)(callback_type *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
  if (stops) orderfile_stop();
  return next(callback, context);
}

int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    unsigned first = 0, number = 0, step = 1;
    unsigned long size = 0;
    if (sscanf(words[i], "run=%u,%u,%u", &first, &number, &step) > 1)
      for (unsigned k = 0; k < number; k++) functions[(first + k * step) % 10000]();
    else if (sscanf(words[i], "random=%u,%u", &first, &number) == 2)
      for (unsigned k = 0; k < number; k++) {
        first = first * 1664525u + 1013904223u;
        functions[(first >> 8) % 10000]();
      }
    else if (strncmp(words[i], "call=", 5) == 0) {
      void *library = dlopen(words[i] + 5, RTLD_NOW);
      void (*function)(void) = (void (*)(void))(library ? dlsym(library, "in_library") : 0);
      if (!function) return 1;
      function();
    } else if (strncmp(words[i], "mark=", 5) == 0) orderfile_mark(words[i] + 5);
    else if (strcmp(words[i], "stop") == 0) orderfile_stop();
    else if (strcmp(words[i], "quit") == 0) _exit(0);
    else if (strncmp(words[i], "system=", 7) == 0) {
      if (system(words[i] + 7) != 0) return 1;
    } else if (strncmp(words[i], "loading=", 8) == 0) {
      stops = 1;
      if (!dlopen(words[i] + 8, RTLD_NOW)) return 1;
      stops = 0;
    }
    else if (sscanf(words[i], "payload=%lu", &size) == 1)
      fwrite(payload, 1, orderfile_write_payload(payload, size, 7), stdout);
    else if (strcmp(words[i], "fork") == 0) {
      pid_t child = fork();
      int status = 1;
      if (child == 0) continue;
      return child < 0 || waitpid(child, &status, 0) != child || status != 0;
    } else return 2;
  }
  return 0;
}
