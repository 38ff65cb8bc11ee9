import ByteReading

/// The form in which a linker printed the name of a symbol in its map.
enum PrintedName {
  /// The name seems to be the name in the symbol table.
  case plain
  /// The name is the name in the symbol table, and mangled: `_Z3foov`, `_RNvC1a3foo`.
  case mangled
  /// The name is demangled: `foo(int)`, `a::foo`.
  case demangled

  init(_ bytes: FileBytes, _ name: Range<Int>) {
    if Self.isMangled(bytes, name) {
      self = .mangled
    } else {
      self = Self.isDemangled(bytes, name) ? .demangled : .plain
    }
  }

  /// Whether the name is mangled in a way that linkers demangle: C++ (blocks begin with more underscores),
  /// Rust, D. They do not demangle Swift's names.
  static func isMangled(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    var position = name.lowerBound
    while position < name.upperBound, bytes[position] == UInt8(ascii: "_") { position += 1 }
    let underscores = position - name.lowerBound
    guard position + 1 < name.upperBound else { return false }
    return switch bytes[position] {
    case UInt8(ascii: "Z"): 1...4 ~= underscores
    case UInt8(ascii: "R"): underscores == 1
    case UInt8(ascii: "D"): underscores == 1 && isDigit(bytes[position + 1])
    default: false
    }
  }

  /// Blanks alone don't make a name demangled, because assembly may use them.
  private static func isDemangled(_ bytes: FileBytes, _ name: Range<Int>) -> Bool {
    var previous: UInt8 = 0
    for position in name {
      let byte = bytes[position]
      if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "<") { return true }
      if byte == UInt8(ascii: ":"), previous == byte { return true }
      previous = byte
    }
    return false
  }

  /// The suffix of a cold part at the end of a demangled name, `.cold` or `.cold.1`, as in `foo() [clone
  /// .cold]` and `foo() (.isra.0.cold)`.
  static func coldSuffix(_ bytes: FileBytes, _ name: Range<Int>) -> Range<Int>? {
    guard let last = name.last,
      bytes[last] == UInt8(ascii: "]") || bytes[last] == UInt8(ascii: ")")
    else { return nil }
    var start = last
    while start > name.lowerBound,
      bytes[start - 1] == UInt8(ascii: ".") || isDigit(bytes[start - 1])
    {
      start -= 1
    }
    start -= ".cold".utf8.count
    guard start >= name.lowerBound, bytes.hasPrefix(".cold", at: start) else { return nil }
    return start..<last
  }
}
