#if defined(__APPLE__)
#include "cfaults.h"

#include <errno.h>

int cfaults_open(struct cfaults **faults) {
  *faults = NULL;
  return ENOTSUP;
}

void cfaults_close(struct cfaults *faults) { (void)faults; }

int cfaults_collect(struct cfaults *faults) {
  (void)faults;
  return 0;
}

size_t cfaults_count(const struct cfaults *faults) {
  (void)faults;
  return 0;
}

uint64_t cfaults_lost(const struct cfaults *faults) {
  (void)faults;
  return 0;
}

struct cfaults_event cfaults_at(const struct cfaults *faults, size_t index) {
  (void)faults, (void)index;
  return (struct cfaults_event){0};
}

const char *cfaults_path(const struct cfaults *faults, struct cfaults_event event) {
  (void)faults, (void)event;
  return "";
}
#endif
