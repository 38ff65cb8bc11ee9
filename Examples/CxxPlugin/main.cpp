#include <dlfcn.h>

#include <iostream>
#include <map>

#include "shape.h"

namespace {

// Static constructors run before main, and must be in the order file too.
struct Settings {
  Settings() { set("size", "2"); }
  void set(const std::string &key, const std::string &value) { values[key] = value; }
  double number(const std::string &key) const { return std::stod(values.at(key)); }
  std::map<std::string, std::string> values;
} settings;

void usage() { std::cerr << "usage: app PLUGIN\n"; }

void report(const Shape &shape) {
  std::cout << shape.name() << ' ' << shape.area() << '\n';
}

void *open_plugin(const char *path) {
  void *handle = dlopen(path, RTLD_NOW);
  if (!handle) std::cerr << dlerror() << '\n';
  return handle;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return usage(), 64;
  void *handle = open_plugin(argv[1]);
  if (!handle) return 1;
  auto make = reinterpret_cast<decltype(&make_shape)>(dlsym(handle, "make_shape"));
  if (!make) return 1;
  std::unique_ptr<std::unique_ptr<Shape>> shape(make(settings.number("size")));
  report(**shape);
}
