/* A library whose code is on guarded pages: each target of an indirect call must be a landing pad. It is compiled with
 * -mbranch-protection=standard, and linked without the C library, whose parts have no landing pads. */
static volatile int calls;

/* BTI C is the first instruction of this function. PACIASP is the first instruction of the next function, which calls
 * another one. */
__attribute__((noipa)) void step_leaf(void) { calls++; }
__attribute__((noipa)) void step_signing(void) {
  step_leaf();
  calls++;
}

/* A function without a landing pad, and a function that calls it directly. */
void step_bare(void);
__asm__(".text\n"
        ".type step_bare, %function\n"
        ".hidden step_bare\n"
        ".global step_bare\n"
        "step_bare:\n"
        "  ret\n"
        ".size step_bare, . - step_bare\n"
        ".type step_refused, %function\n"
        ".global step_refused\n"
        "step_refused:\n"
        "  ret\n"
        ".size step_refused, . - step_refused\n");
__attribute__((noipa)) void step_caller(void) {
  step_bare();
  calls++;
}

/* Functions that run while the loader works: a resolver, because of a relocation, and a constructor. */
__attribute__((noipa)) static void step_chosen(void) { calls++; }
static void (*step_resolver(void))(void) { return step_chosen; }
void step_ifunc(void) __attribute__((ifunc("step_resolver")));
__attribute__((constructor, noipa)) static void step_early(void) { calls++; }
