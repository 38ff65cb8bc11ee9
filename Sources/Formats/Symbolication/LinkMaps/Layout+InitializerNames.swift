import Addresses
import ImageModel

extension Layout {
  /// The functions whose names show that the loader of a Mach-O image calls them before `main`, for a layout that comes
  /// from a link map only.
  ///
  /// Objective-C's `+load` methods come first, then C++'s static initializers, both by address, which is the loader's
  /// order in an image that was linked without an order file. dyld has libobjc call all `+load` methods of an image
  /// before it runs the initializers. The name of a C function with `__attribute__((constructor))` does not show that
  /// the function is an initializer.
  ///
  /// - Returns: each address once.
  /// - Complexity: O(*n*) for *n* functions.
  package var initializersByName: [StatedAddress] {
    var loads: [StatedAddress] = []
    var constructors: [StatedAddress] = []
    let bytes = names.bytes
    for function in functions where function.name.count > 2 {
      // This test skips nearly all names (most C++ names begin with `__Z`), and costs less than creating a slice.
      let start = Int(function.name.offset)
      let third = bytes[start + 2]
      guard
        bytes[start] == UInt8(ascii: "+") || third == UInt8(ascii: "G")
          || third == UInt8(ascii: "_")
      else { continue }
      let name = names[function.name]
      if isLoadMethod(name) {
        if loads.last != function.address { loads.append(function.address) }
      } else if isStaticInitializer(name), constructors.last != function.address {
        constructors.append(function.address)
      }
    }
    return loads + constructors
  }

  /// Whether `name` has the form `+[Class load]` or `+[Class(Category) load]`.
  private func isLoadMethod(_ name: ArraySlice<UInt8>) -> Bool {
    name.starts(with: "+[".utf8) && name.suffix(6).elementsEqual(" load]".utf8)
  }

  /// Whether clang gives this name to a static initializer: one function for each variable, one for each file, which
  /// calls the functions of the file's variables, and one for each `init_priority`.
  private func isStaticInitializer(_ name: ArraySlice<UInt8>) -> Bool {
    ["__GLOBAL__sub_I_", "__GLOBAL__I_", "___cxx_global_var_init"].contains {
      name.starts(with: $0.utf8)
    }
  }
}
