/* Programs that the processes of a launch run: those that do not load this library are not watched. */
#ifndef OF_PROGRAMS_H
#define OF_PROGRAMS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Records that this thread calls execve or execveat, NUMBER, with ARGUMENTS. */
OF_INTERNAL void of_note_program(long number, const uint64_t *arguments);

/* Called at each system call: if this thread was about to run a program, that failed. */
OF_INTERNAL void of_note_return_from_exec(void);

#endif
#endif
