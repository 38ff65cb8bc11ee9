import Addresses
import ImageModel

extension Layout {
  /// What the loader of a Mach-O image calls before `main`, as far as names tell: for a layout that comes
  /// from a link map alone.
  ///
  /// Objective-C's `+load` methods come first, then C++'s static initializers, both by address, which is
  /// the loader's order in an image that was linked in no special order. dyld has libobjc call all `+load`
  /// methods of an image before it runs the initializers. A C function with `__attribute__((constructor))`
  /// looks like any other.
  ///
  /// - Returns: each address once.
  /// - Complexity: O(*n*) for *n* functions.
  package var initializersByName: [StatedAddress] {
    var loads: [StatedAddress] = []
    var constructors: [StatedAddress] = []
    let bytes = names.bytes
    for function in functions where function.name.count > 2 {
      // Nearly all names are others, most of C++'s begin with `__Z`, and a slice costs more than a look.
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

  /// `+[Class load]`, `+[Class(Category) load]`
  private func isLoadMethod(_ name: ArraySlice<UInt8>) -> Bool {
    name.starts(with: "+[".utf8) && name.suffix(6).elementsEqual(" load]".utf8)
  }

  /// What clang calls them: one function for each file, which calls one for each variable, and one for
  /// each `init_priority`.
  private func isStaticInitializer(_ name: ArraySlice<UInt8>) -> Bool {
    ["__GLOBAL__sub_I_", "__GLOBAL__I_", "___cxx_global_var_init"].contains {
      name.starts(with: $0.utf8)
    }
  }
}
