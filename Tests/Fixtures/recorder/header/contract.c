/* Only what the header offers; linked with and without the recorder. */
#include <orderfile_runtime.h>

int main(void) {
  orderfile_mark("first screen");
  orderfile_write_names();
  orderfile_stop();
  return 0;
}
