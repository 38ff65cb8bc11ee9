int core_value(void);

static volatile int value;

static __attribute__((constructor)) void core_begin(void) { value = 1; }

int core_value(void) { return value; }
