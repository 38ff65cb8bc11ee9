/* Waiting for children in a process that was started with SIGCHLD ignored. */
#ifndef CPROCESS_CHILDREN_H
#define CPROCESS_CHILDREN_H

#include <stdbool.h>

/* Sets SIGCHLD to its default if this process was started with SIGCHLD ignored, because the system would drop the
 * status of children. Call it before starting a child that this process waits for; cprocess_start does. */
void cprocess_expect_children(void);
/* Ignores SIGCHLD again if cprocess_expect_children found it ignored. Call it in a child before exec; safe after
 * vfork. */
void cprocess_become_child(void);
/* Whether cprocess_expect_children found SIGCHLD ignored. */
bool cprocess_ignored_children(void);

#endif
