// Touches data before any image has registered.
#define APART __attribute__((aligned(64)))

APART volatile int by_resolver = 1;
APART volatile int before_initializers = 1;
APART volatile int by_constructor = 1;
APART volatile int by_main = 1;
APART volatile int by_chosen = 1;

static void first(void) { before_initializers++; }
__attribute__((section(".preinit_array"), used)) static void (*const run_first)(void) = first;
__attribute__((constructor(101))) static void construct(void) { by_constructor++; }
static void chosen_one(void) { by_chosen++; }
__attribute__((noinline)) static void called_by_resolver(void) { by_resolver++; } // compilers leave resolvers themselves alone
static void (*resolve(void))(void) {
  called_by_resolver();
  return chosen_one;
}
void chosen(void) __attribute__((ifunc("resolve")));

int main(void) {
  by_main++;
  chosen();
  return 0;
}
