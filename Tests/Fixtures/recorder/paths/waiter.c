// Prints "r" when its trace exists, lives until its input ends, and prints which descriptors are open.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void early(void) { __asm__ volatile(""); }
__attribute__((noinline)) void late(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  char byte = 'r';
  early();
  if (count > 1 && strcmp(arguments[1], "descriptors") == 0) {
    // The descriptors of the file and the folder are the lowest free ones, unless the recorder has kept one open. The
    // launching process may pass on others with much higher numbers.
    FILE *output = fopen(arguments[2], "w");
    DIR *folder = opendir("/proc/self/fd");
    if (!output || !folder) return 1;
    for (struct dirent *entry; (entry = readdir(folder));)
      if (entry->d_name[0] != '.' && atoi(entry->d_name) < 64) fprintf(output, "%s\n", entry->d_name);
    fclose(output);
    for (int i = 3; i < 64; i++) close(i);
    late();
    return 0;
  }
  if (write(1, &byte, 1) != 1) return 1;
  while (read(0, &byte, 1) > 0) {
  }
  late();
  return 0;
}
