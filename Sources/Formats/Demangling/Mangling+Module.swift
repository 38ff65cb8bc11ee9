import ImageModel

/// The module of a Swift function, the crate of a Rust function in the legacy mangling, or the outermost namespace of a
/// C++ function: the first identifier of the mangled name. `nil` if the name has no identifier, or is of another
/// scheme.
///
///     $s4main5parseyyF      main
///     $sSo6FILEV...         nothing: a type that was imported from C
///     _ZN3foo3barEv         foo
///
/// - Complexity: O(*k*) for an identifier of *k* bytes.
package func moduleName(ofMangled name: SymbolName) -> String? {
  var rest = name.bytes[...]
  // Mach-O puts an underscore before every name.
  for prefix in ["_$s", "$s", "_$S", "$S", "__ZN", "_ZN"] where rest.starts(with: prefix.utf8) {
    rest = rest.dropFirst(prefix.utf8.count)
    let isSwift = prefix.contains("$")
    if isSwift, rest.first == UInt8(ascii: "s") { return "Swift" }
    if !isSwift { rest = rest.drop { "KVrRO".utf8.contains($0) } }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    // A leading zero announces an identifier that is made of earlier words.
    guard digits.first != UInt8(ascii: "0"),
      let count = Int(String(decoding: digits, as: UTF8.self)),
      count <= rest.count - digits.count
    else { return nil }
    return String(decoding: rest.dropFirst(digits.count).prefix(count), as: UTF8.self)
  }
  return nil
}
