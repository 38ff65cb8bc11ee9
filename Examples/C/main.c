#include <stdio.h>

// The functions are in the order in which they were written. A launch runs them in another order.
static void close_report(void) { puts("closed"); }
static void print_total(int total) { printf("total %d\n", total); }
void never_called(void) { puts("never"); }
static int add(int a, int b) { return a + b; }
static int read_number(int n) { return n * n; }
static void open_report(void) { puts("opened"); }

int main(void) {
  int total = 0;
  open_report();
  for (int n = 1; n <= 10; n++) total = add(total, read_number(n));
  print_total(total);
  close_report();
}
