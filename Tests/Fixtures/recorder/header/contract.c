/* Uses only what the header declares; the test links it with the recorder and without it. */
#include <orderfile_runtime.h>

int main(void) {
  orderfile_mark("first screen");
  orderfile_write_names();
  orderfile_stop();
  return 0;
}
