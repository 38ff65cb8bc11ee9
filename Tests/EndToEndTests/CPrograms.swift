/// Small programs whose functions run in another order than they have in the source.
enum CPrograms {
  static let plain = """
    #include <stdio.h>
    #define F(n) __attribute__((noinline)) int n(int x)
    F(last) { return x * 3; }
    F(unused) { return x * 5; }
    static F(hidden) { return last(x) + 1; }
    F(first) { return hidden(x) * 7; }
    __attribute__((constructor)) static void early(void) { fputs("early\\n", stdout); }
    int main(int n, char **v) {
      printf("%d\\n", n > 90 ? unused(n) : first(n));
      return 0;
    }
    """
  static let plainOrder = ["early", "main", "first", "hidden", "last"]

  /// A program with functions that the linker may fold, and functions that it may discard.
  static let foldable = """
    #include <stdio.h>
    #define F(n) __attribute__((noinline)) int n(int x)
    F(twin1) { __asm__ volatile(""); return x * 3 + 11; }
    F(dead) { __asm__ volatile(""); return x * 9; }
    F(twin2) { __asm__ volatile(""); return x * 3 + 11; }
    F(between) { __asm__ volatile(""); return x - 4; }
    int main(int n, char **v) {
      int (*volatile pointer)(int) = twin2;
      printf("%d\\n", between(n) + pointer(n));
      return twin1(n) == 0;
    }
    """

  static let cxx = """
    #include <cstdio>
    #include <stdexcept>
    #include <string>
    struct Base { virtual ~Base(); virtual int size() const; };
    Base::~Base() {}
    int Base::size() const { return 1; }
    struct Derived : Base { Derived(); int size() const override; std::string name; };
    int Derived::size() const { return int(name.size()); }
    __attribute__((noinline)) Derived::Derived() : name("derived") { std::puts("construct"); }
    template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
    inline __attribute__((noinline)) int shared(int x) { return x - 1; }
    int other(int x);
    __attribute__((noinline)) void fail(int x) { if (x) throw std::runtime_error("thrown"); }
    static Derived object;
    int main(int n, char **v) {
      try { fail(n); } catch (const std::exception &error) { std::puts(error.what()); }
      Base *base = &object;
      std::printf("%d %d\\n", twice(base->size()), shared(n) + other(n));
      return 0;
    }
    """
  static let cxxOther = """
    inline __attribute__((noinline)) int shared(int x) { return x - 1; }
    __attribute__((noinline)) int other(int x) { return shared(x) * 2; }
    """
  static let cxxOrder = [
    "_ZN7DerivedC2Ev", "main", "_Z4faili", "_ZNK7Derived4sizeEv", "_Z5twiceIiET_S0_", "_Z6sharedi",
    "_Z5otheri",
  ]

  /// Functions whose names no language gives, but assembly does.
  static let oddNames = """
    #include <stdio.h>
    #define F(n, label) int n(int x) __asm__(label); __attribute__((noinline)) int n(int x)
    F(f5, "a\\nb") { __asm__ volatile(""); return x + 5; }
    F(f4, "#lead") { __asm__ volatile(""); return x + 4; }
    F(f3, "gr\\303\\266\\303\\237e") { __asm__ volatile(""); return x + 3; }
    F(f2, "a#b") { __asm__ volatile(""); return x + 2; }
    F(f1, "a b") { __asm__ volatile(""); return x + 1; }
    int main(int n, char **v) { printf("%d\\n", f1(n) + f2(n) + f3(n) + f4(n) + f5(n)); return 0; }
    """
}
