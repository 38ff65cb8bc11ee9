/* Records the programs that processes of a launch run. A program that does not load this library is not watched. */
#ifndef OF_PROGRAMS_H
#define OF_PROGRAMS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* Records that this thread calls execve or execveat (NUMBER) with ARGUMENTS. */
OF_INTERNAL void of_note_program(long number, const uint64_t *arguments);

/* Records that exec failed if this thread's last call was exec. Called at each system call. */
OF_INTERNAL void of_note_return_from_exec(void);

#endif
#endif
