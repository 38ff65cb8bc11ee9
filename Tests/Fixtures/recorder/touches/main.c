// Touches data of each kind, in the order of `expected` in DataTouchTests. Variables are 64 bytes apart: only `first`
// and `second` share a granule.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((aligned(64)))

APART int in_constructor = 1;
APART const int constants[64] = {1, 2, 3};
APART int writable = 1;
APART static int local = 1;
APART int zero_filled[64];
APART char text[64] = "characters";
APART const char *pointers[8] = {text, text + 1};
APART struct { int first, second; } pair = {1, 2};
APART long long across[2] = {1, 2};
APART __int128 wide = 1;
APART int of_child = 1;
APART int after_fork = 1;
APART int after_plugins = 1;
APART int untouched = 1;
APART _Thread_local int of_thread = 1;
APART int common; // with -fcommon

__attribute__((constructor(200))) static void construct(int count) { in_constructor += count; }

int main(int count, char **arguments) {
  int volatile stack[8] = {0};
  int *heap = malloc(64);
  stack[count & 7] = count;
  int one = count > 0; // the value of `one` is not known to the compiler
  int sum = constants[one * 16] + stack[count & 7];
  writable += sum;
  local += sum;
  zero_filled[one * 32] = sum;
  sum += *pointers[one];
  pair.second += sum;
  long long unaligned;
  memcpy(&unaligned, (char *)across + 4 * one, sizeof unaligned);
  wide += unaligned;
  of_thread += sum;
  common += sum;
  heap[count & 7] = sum;
  writable += heap[count & 7];
  pid_t child = fork();
  if (child == 0) {
    of_child += 1;
    writable += 1;
    _exit(0);
  }
  waitpid(child, NULL, 0);
  after_fork += 1;
  for (int i = 1; i < count; i++) {
    void *library = dlopen(arguments[i], RTLD_NOW);
    void (*touch)(void) = library ? (void (*)(void))dlsym(library, "touch") : NULL;
    if (!touch) return 1;
    touch();
    dlclose(library);
  }
  after_plugins += 1;
  return 0;
}
