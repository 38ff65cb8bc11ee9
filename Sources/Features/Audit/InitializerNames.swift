// What the name of an initializer shows about its origin. Compilers give the functions that initialize variables of a
// C++ file fixed names:
//
//   _GLOBAL__sub_I_FILE, _GLOBAL__I_FILE   of all variables of the file; clang writes the file's name, gcc the name of
//                                          the first symbol of the file
//   __cxx_global_var_init, .1, .2          of one variable
//   __GLOBAL__sub_I_…, ___cxx_global_…     the same in a Mach-O image

import ImageModel

enum InitializerNames {
  /// The origin of a function called `name`, and the file in its name; `nil` if the name does not show them.
  static func origin(of name: SymbolName, in format: ImageFormat) -> (
    origin: String?, file: SymbolName?
  ) {
    var bytes = name.bytes[...]
    if bytes.starts(with: "+[".utf8) { return ("objective-c", nil) }
    if format.prefixesUnderscore, bytes.first == UInt8(ascii: "_") { bytes = bytes.dropFirst() }
    for prefix in ["_GLOBAL__sub_I_", "_GLOBAL__I_"] where bytes.starts(with: prefix.utf8) {
      let file = bytes.dropFirst(prefix.utf8.count)
      let isFile = file.contains(UInt8(ascii: ".")) && !file.starts(with: "_Z".utf8)
      return ("c++", isFile ? SymbolName(bytes: file) : nil)
    }
    if bytes.starts(with: "__cxx_global_var_init".utf8) { return ("c++", nil) }
    if bytes.starts(with: "$s".utf8) || name.description.contains("swift_image_constructor") {
      return ("swift", nil)
    }
    if ["asan.", "tsan.", "sancov.", "hwasan.", "msan."].contains(where: {
      bytes.starts(with: $0.utf8)
    }) {
      return ("sanitizer", nil)
    }
    if bytes.elementsEqual("_init".utf8) || CRuntime.isPart(name) { return ("c runtime", nil) }
    return (nil, nil)
  }
}
