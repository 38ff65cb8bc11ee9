// An app whose start-up work registers itself: storage.c, network.c and screen.c have four tasks each.
#include <orderfile_runtime.h>
#include <orderfile_tasks.h>
#include <stdio.h>

int main(void) {
  int before = orderfile_run_tasks("first screen");
  orderfile_mark("first screen");
  int after = orderfile_run_tasks("after first screen");
  printf("%d tasks before the first screen, %d after it\n", before, after);
  return 0;
}
