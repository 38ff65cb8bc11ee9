#define _GNU_SOURCE
#include "cprocess_children.h"

#include <signal.h>
#include <stddef.h>

/* Whether this process was started with SIGCHLD ignored. The process itself no longer ignores SIGCHLD, because the
 * status of its children would be lost. */
static bool caller_ignores_children;

void cprocess_expect_children(void) {
  struct sigaction action;
  sigaction(SIGCHLD, NULL, &action);
  if (action.sa_handler != SIG_IGN) return;
  caller_ignores_children = true;
  action = (struct sigaction){.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &action, NULL);
}

void cprocess_become_child(void) {
  if (caller_ignores_children) sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
}

bool cprocess_ignored_children(void) { return caller_ignores_children; }
