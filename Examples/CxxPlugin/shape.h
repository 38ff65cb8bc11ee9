#pragma once
#include <functional>
#include <memory>
#include <string>

// The interface of the objects that a plugin makes.
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual std::string name() const = 0;
};

// A plugin defines this.
extern "C" std::unique_ptr<Shape> *make_shape(double size);
