#include <orderfile_runtime.h>

struct Engine {
  Engine() { orderfile_mark("before main"); }
  __attribute__((noinline)) virtual int start() {
    orderfile_mark("engine");
    return count;
  }
  int count = 1;
};

static Engine engine;

extern "C" int engine_start(void);
int engine_start(void) { return engine.start(); }
