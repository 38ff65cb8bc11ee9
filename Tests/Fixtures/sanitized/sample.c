// A program whose debug information is read: its functions are called, inlined, split, static, or called in loops. Its
// pages are watched, too: only the kernel uses one of them.
#include <stdio.h>
#include <unistd.h>

struct point {
  int x, y;
};

static inline int square(int value) { return value * value; }
static int distance(struct point a, struct point b) { return square(a.x - b.x) + square(a.y - b.y); }

__attribute__((noinline)) int sum(const struct point *points, int count) {
  int total = 0;
  for (int i = 1; i < count; i++) total += distance(points[i - 1], points[i]);
  return total;
}

__attribute__((noinline, cold)) void complain(const char *why) { puts(why); }

int main(int count, char **arguments) {
  struct point points[3] = {{count, 2}, {3, count}, {5, 6}};
  if (count > 5) complain(arguments[1]);
  static char path[3 * 4096] = {[4096 + 2048] = '/'}; /* on a page of its own, which the kernel alone reads */
  if (access(path + 4096 + 2048, F_OK) != 0) return 1;
  return sum(points, 3) == 0;
}
