/* The handler of faults on withheld pages. */
#ifndef OF_FAULTS_H
#define OF_FAULTS_H

#include "gate.h"

#if OF_TRACER_IS_SUPPORTED

/* The handler of SIGSEGV. */
OF_INTERNAL void of_fault(int signal, void *information, void *context);

#endif
#endif
