/* What a program does, or is subject to, after which this library can't watch its pages. */
#ifndef OF_RESTRICTIONS_H
#define OF_RESTRICTIONS_H

#include "gate.h"
#include "orderfile_page_trace.h"

#if OF_TRACER_IS_SUPPORTED

struct of_restriction {
  enum orderfile_page_problem problem; /* ORDERFILE_PAGE_NO_PROBLEM if there is none */
  int detail;
};

/* What prevents watching after the call NUMBER with ARGUMENTS. */
OF_INTERNAL struct of_restriction of_restriction_by(long number, const uint64_t *arguments);

/* What prevents watching in this process, which begins a program. COMMAND is a path in the folder of the command's
 * process in /proc. */
OF_INTERNAL struct of_restriction of_inherited_restriction(const char *command);

#endif
#endif
