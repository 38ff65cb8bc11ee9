// Functions whose only instruction is the call of the recorder: link-time optimization turns it into a jump.
__attribute__((noinline)) void first_empty(void) {}
__attribute__((noinline)) void second_empty(void) {}

static void (*volatile steps[])(void) = {first_empty, second_empty};

int main(void) {
  for (int i = 0; i < 2; i++) steps[i]();
  return 0;
}
