// A task of another file: -DSTAGE, -DNAME, -DPRIORITY and -DSAYS are strings and a number.
#include <orderfile_tasks.h>
#include <stdio.h>

static void work(void) { puts(SAYS); }
ORDERFILE_TASK_AT(STAGE, NAME, work, PRIORITY)

#if defined(RUNS)
int run_own(void);
int run_own(void) { return orderfile_run_tasks(STAGE); }
#endif
