/* Handles each system call of the program before it is made. */
#ifndef OF_SYSTEM_CALLS_H
#define OF_SYSTEM_CALLS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* The handler of SIGSYS. */
OF_INTERNAL void of_system_call_stopped(int signal, void *information, void *context);

#endif
#endif
