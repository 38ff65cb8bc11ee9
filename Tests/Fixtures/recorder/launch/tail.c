// Bodies that are nothing but the callback: link-time optimisation makes that a jump.
__attribute__((noinline)) void first_empty(void) {}
__attribute__((noinline)) void second_empty(void) {}

static void (*volatile steps[])(void) = {first_empty, second_empty};

int main(void) {
  for (int i = 0; i < 2; i++) steps[i]();
  return 0;
}
