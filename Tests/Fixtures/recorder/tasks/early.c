// The tasks of a stage before main.
#include <orderfile_tasks.h>
#include <stdio.h>

static void work(void) { puts("before main"); }
ORDERFILE_TASK("before main", "work", work)
__attribute__((constructor)) static void begin(void) { orderfile_run_tasks("before main"); }

int main(void) {
  puts("main");
  return 0;
}
