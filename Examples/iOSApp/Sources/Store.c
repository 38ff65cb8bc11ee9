#include "Store.h"

static int opened;
// Simulates the contents of a file.
static volatile int version = 3;

// No launch runs this function, which is defined between two functions that launches run.
void store_compact(void) { opened = 0; }

__attribute__((noinline)) static int check(int found) { return found == 3; }

int store_open(void) {
  opened = check(version) ? 42 : -1;
  return opened > 0;
}

int store_count(void) { return opened; }
