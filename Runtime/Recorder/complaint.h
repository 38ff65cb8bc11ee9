/* The message to the program's user if nothing is recorded: one line on standard error. */
#ifndef OF_COMPLAINT_H
#define OF_COMPLAINT_H

#include <of_attributes.h>

/* Results of creating a trace, in addition to -errno. */
#define OF_NOT_A_TRACE (-1000) /* the file at the path is not a trace */
#define OF_NOT_ASKED (-1001)   /* recording was not requested */

/* Reports that the program continues unrecorded because of RESULT: -errno or OF_NOT_A_TRACE. Called by an initializer,
 * or by the one thread of a forked child that sets up. */
OF_INTERNAL void of_complain(int result);

#endif
