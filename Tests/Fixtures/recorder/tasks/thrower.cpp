// A task that throws, one that leaves by longjmp, and those after them.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

#include <orderfile_tasks.h>

namespace app {
static std::jmp_buf place;
static void throws() { throw std::runtime_error("thrown"); }
static void jumps() { std::longjmp(place, 1); }
static void follows() { std::puts("follows"); }
}  // namespace app
ORDERFILE_TASK("errors", "a", app::throws)
ORDERFILE_TASK("errors", "b", app::jumps)
ORDERFILE_TASK("errors", "c", app::follows)
#if !defined(BEFORE_17)
ORDERFILE_TASK("lambda", "a", [] { std::puts("lambda"); })
#endif

int main() {
  try {
    orderfile_run_tasks("errors");
  } catch (const std::exception &error) {
    std::puts(error.what());
  }
  if (setjmp(app::place) == 0)
    orderfile_run_tasks("errors");
  else
    std::puts("jumped");
  std::printf("= %d\n", orderfile_run_tasks("errors"));
  std::printf("= %d\n", orderfile_run_tasks("lambda"));
}
