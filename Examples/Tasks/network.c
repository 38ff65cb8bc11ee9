#include "work.h"

WORK(start_session)
WORK(read_cache)
WORK(register_push)
WORK(send_statistics)
ORDERFILE_TASK("first screen", "session", start_session)
ORDERFILE_TASK("first screen", "cache", read_cache)
ORDERFILE_TASK("first screen", "push", register_push)
ORDERFILE_TASK("first screen", "statistics", send_statistics)
