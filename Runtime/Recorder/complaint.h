/* The message to the program's user if a trace or a payload can't be written: one line on standard error. */
#ifndef OF_COMPLAINT_H
#define OF_COMPLAINT_H

#include <of_attributes.h>

/* Results of creating a trace, in addition to -errno. */
#define OF_NOT_A_TRACE (-1000) /* the file at the path is not a trace */
#define OF_NOT_ASKED (-1001)   /* recording was not requested */
#define OF_NOT_A_PAYLOAD (-1002) /* the file at the path is not a payload */

#define OF_UNRECORDED "; the program continues unrecorded" /* a consequence */

/* Reports that the recorder cannot do TASK with the file PATH, because of RESULT: -errno, OF_NOT_A_TRACE or
 * OF_NOT_A_PAYLOAD. CONSEQUENCE, which may be empty, ends the message. Called by an initializer, by the one thread
 * of a forked child that sets up, or by the one thread that writes the payload. */
OF_INTERNAL void of_complain(const char *task, const char *path, int result, const char *consequence);

#endif
