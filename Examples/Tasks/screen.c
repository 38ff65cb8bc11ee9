#include "work.h"

WORK(load_fonts)
WORK(load_images)
WORK(build_menu)
WORK(warm_map)
ORDERFILE_TASK("first screen", "fonts", load_fonts)
ORDERFILE_TASK("first screen", "images", load_images)
ORDERFILE_TASK("first screen", "menu", build_menu)
ORDERFILE_TASK("first screen", "map", warm_map)
