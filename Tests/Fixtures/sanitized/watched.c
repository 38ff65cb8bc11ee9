// watched LIBRARY PROGRAM...: launches the program with the page tracer LIBRARY in it, and prints its images and the
// numbers of pages that it executed, read and wrote, and that the kernel used for it.
#define _GNU_SOURCE
#include <cpages.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(int count, char **arguments) {
  CHECK(count > 2);
  if (!cpages_is_supported()) {
    puts("unsupported");
    return 0;
  }
  struct cpages *pages;
  int descriptor, status, error;
  CHECK(cpages_create("*", "", "", 0, &pages, &descriptor) == 0);
  char preload[4096], memory[64];
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", arguments[1]);
  snprintf(memory, sizeof memory, ORDERFILE_PAGES_VARIABLE "=/proc/%d/fd/%d", (int)getpid(),
           descriptor);
  char *environment[] = {preload, memory, NULL};
  pid_t pid;
  CHECK(posix_spawn(&pid, arguments[2], NULL, NULL, arguments + 2, environment) == 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  uint32_t place = 0;
  size_t touches[16] = {0};
  struct orderfile_page_record record;
  while (cpages_next(pages, &place, &record)) {
    char path[CPAGES_PATH_SIZE];
    if (cpages_path(pages, place, &record, path, sizeof path) && record.kind == ORDERFILE_PAGE_IMAGE) puts(path);
    if (record.kind == ORDERFILE_PAGE_TOUCH) touches[record.detail & 15]++;
  }
  printf("status %d problem %d executed %d read %d wrote %d kernel %d\n", status,
         (int)cpages_problem(pages, &error), touches[ORDERFILE_PAGE_EXECUTE] > 0,
         touches[ORDERFILE_PAGE_READ] > 0, touches[ORDERFILE_PAGE_WRITE] > 0,
         touches[ORDERFILE_PAGE_KERNEL] > 0);
  cpages_destroy(pages, descriptor);
  return 0;
}
