// C++ functions that a link map may show, hide or demangle. All names have `Probe` in them.

#define APART __attribute__((noinline, used))

extern "C" int partProbe(int), otherProbe(int);

struct ProbeBase {
  ProbeBase();
  virtual ~ProbeBase();
  virtual int value(int);
};
ProbeBase::ProbeBase() {}
ProbeBase::~ProbeBase() {}
int ProbeBase::value(int x) { return x + 1; }

namespace {
APART int hiddenProbe(int x) { return x - 7; }
}

APART static int staticProbe(int x) { return x * 5; }
template <class T> APART T templateProbe(T x) { return x + x; }
APART int operator+(ProbeBase &base, int x) { return base.value(x); }
bool operator==(ProbeBase const &, int x) { return x == 3; }
APART int overloadedProbe(int x) { return x ^ 3; }
APART int overloadedProbe(double x) { return static_cast<int>(x); }

int main(int count, char **) {
  ProbeBase base;
  return partProbe(count) + otherProbe(count) + hiddenProbe(count) + staticProbe(count)
    + templateProbe(count) + (base + count) + (base == count) + overloadedProbe(count)
    + overloadedProbe(1.5);
}
