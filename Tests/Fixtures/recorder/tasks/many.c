// COUNT (a number of four digits) tasks, a quarter of them with each of four priorities. Prints whether they run in order.
#include <orderfile_tasks.h>
#include <stdio.h>

static int ran, last_priority = -100;
static void run(int priority) {
  if (priority < last_priority) puts("out of order");
  last_priority = priority;
  ran++;
}
static void run_0(void) { run(0); }
static void run_1(void) { run(1); }
static void run_2(void) { run(2); }
static void run_3(void) { run(3); }
#define FOUR(n)                            \
  ORDERFILE_TASK_AT("many", n "d", run_3, 3) \
  ORDERFILE_TASK_AT("many", n "a", run_0, 0) \
  ORDERFILE_TASK_AT("many", n "c", run_2, 2) \
  ORDERFILE_TASK_AT("many", n "b", run_1, 1)
#define F20(n) FOUR(n "0") FOUR(n "1") FOUR(n "2") FOUR(n "3") FOUR(n "4")
#define F100(n) F20(n "0") F20(n "1") F20(n "2") F20(n "3") F20(n "4")
F100("0") F100("1") F100("2") F100("3")
#if defined(TOO_MANY)
#define F500(n) F100(n "0") F100(n "1") F100(n "2") F100(n "3") F100(n "4")
F500("4") F500("5") F500("6") F500("7")
#endif

int main(void) {
  int count = orderfile_run_tasks("many");
  printf("%d %d %d\n", count, ran, orderfile_run_tasks("other"));
  return 0;
}
