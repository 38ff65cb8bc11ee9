#include "shape.h"

namespace {

double squared(double x) { return x * x; }

struct Circle final : Shape {
  explicit Circle(double radius) : radius(radius) {}
  double area() const override { return 3.14159265358979 * squared(radius); }
  std::string name() const override { return "circle"; }
  double radius;
};

// Never used at launch, but defined between functions that a launch runs.
struct Square final : Shape {
  explicit Square(double side) : side(side) {}
  double area() const override { return squared(side); }
  std::string name() const override { return "square"; }
  double side;
};

// A constructor of the plugin: dlopen runs it.
struct Registration {
  Registration() { registered = std::make_unique<Square>(1); }
  std::unique_ptr<Shape> registered;
} registration;

}  // namespace

extern "C" std::unique_ptr<Shape> *make_shape(double size) {
  if (size < 0) return new std::unique_ptr<Shape>(new Square(-size));
  return new std::unique_ptr<Shape>(new Circle(size));
}
