// Bodies that are nothing but the callback: link-time optimisation makes that a jump.
__attribute__((noinline)) void first_empty(void) {}
__attribute__((noinline)) void second_empty(void) {}

int main(void) {
  first_empty();
  second_empty();
  return 0;
}
