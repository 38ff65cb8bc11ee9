// Includes the header and has no task.
#include <orderfile_tasks.h>

int main(void) { return 0; }
