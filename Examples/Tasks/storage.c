#include "work.h"

WORK(open_database)
WORK(read_settings)
WORK(migrate)
WORK(index_search)
ORDERFILE_TASK("first screen", "database", open_database)
ORDERFILE_TASK("first screen", "settings", read_settings)
ORDERFILE_TASK_AT("first screen", "migration", migrate, -1)  // before the database
ORDERFILE_TASK("first screen", "search index", index_search)
