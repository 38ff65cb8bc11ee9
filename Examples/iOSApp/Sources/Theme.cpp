// Has a static constructor, which runs before main and must be in the order file.

namespace {
volatile int night = 77;

struct Theme {
  int tint;
  Theme();
};

__attribute__((noinline)) int mixed(int shade) { return shade * 3 % 256; }

Theme::Theme() : tint(mixed(night)) {}

Theme theme;
}  // namespace

extern "C" int theme_tint(void) { return theme.tint; }
extern "C" void theme_change(int tint) { theme.tint = tint; }
