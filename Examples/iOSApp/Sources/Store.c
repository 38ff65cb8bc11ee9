#include "Store.h"

static int opened;
// Stands for a file that is read.
static volatile int version = 3;

// Not used by a launch, and between two functions that are.
void store_compact(void) { opened = 0; }

__attribute__((noinline)) static int check(int found) { return found == 3; }

int store_open(void) {
  opened = check(version) ? 42 : -1;
  return opened > 0;
}

int store_count(void) { return opened; }
