/* Finds the actions of a program, and the restrictions on it, after which this library can't watch its pages. */
#ifndef OF_RESTRICTIONS_H
#define OF_RESTRICTIONS_H

#include "gate.h"
#include "orderfile_page_trace.h"

#if OF_TRACER_IS_SUPPORTED

struct of_restriction {
  enum orderfile_page_problem problem; /* ORDERFILE_PAGE_NO_PROBLEM if there is none */
  int detail;
};

/* Returns what prevents watching after the call NUMBER with ARGUMENTS. */
OF_INTERNAL struct of_restriction of_restriction_by(long number, const uint64_t *arguments);

/* Returns what prevents watching in this process, which begins a program. COMMAND is a path in the folder /proc/PID of
 * the command. */
OF_INTERNAL struct of_restriction of_inherited_restriction(const char *command);

#endif
#endif
