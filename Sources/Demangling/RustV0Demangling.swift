// Converts names of Rust's mangling scheme v0 (RFC 2603), `_R…`, to the paths that a Rust programmer writes.
// <https://doc.rust-lang.org/rustc/symbol-mangling/v0.html>
//
// A name is a tree in prefix notation: each node begins with a letter that gives its kind. `N v C6_3app 3run`
// is the value `run` in the crate `app`; a hash of the crate follows the `C`. `B<number>_` repeats what is at
// that position, which makes names short and the text long: a name of a kilobyte can produce more text than a
// disk holds. So the depth and the length of the text are limited, and the number of nodes too, since a node
// may print nothing. A name that exceeds a limit is rejected, like one that is not well-formed.
//
// The output is that of rustc's own demangler in its alternate form: without crate hashes, and without the
// types of constants. The crate that instantiated a generic function is left out.

import ByteReading

/// The path of a Rust v0 name; `nil` for anything that can't be read.
///
/// - Complexity: O(*n* + *t*) for *n* bytes and a text of *t* bytes; both are limited.
package func demangleRustV0(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8]? {
  var start = range.lowerBound
  if begins(with: "__R", bytes, range) { start += 1 }
  guard start + 2 < range.upperBound, bytes[start] == UInt8(ascii: "_"),
    bytes[start + 1] == UInt8(ascii: "R"), isUpperCase(bytes[start + 2])
  else { return nil }
  var printer = RustV0Printer(bytes, in: start + 2..<range.upperBound)
  do throws(RustV0Printer.NotUnderstood) {
    try printer.symbol()
    return printer.text
  } catch {
    return nil
  }
}

/// A cursor in a name, which prints what it reads.
struct RustV0Printer {
  struct NotUnderstood: Error {}

  let bytes: [UInt8]
  /// The origin of positions in back references.
  let start: Int
  let end: Int
  var position: Int
  var text: [UInt8] = []
  /// 0 while printing; the instantiating crate and the paths of impls are read but not printed.
  var silence = 0
  var depth = 0
  var nodes = 0
  /// The number of lifetimes of all enclosing `for<…>`.
  var lifetimes: UInt64 = 0

  // More than compilers write: rustc's own demangler stops at a depth of 500, and nobody reads 64 KiB.
  static let maximumDepth = 300
  static let maximumText = Int(ParsingLimits.demangledName)
  /// Proportional to the length of the name, because a node may print nothing.
  let maximumNodes: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    start = range.lowerBound
    end = range.upperBound
    position = start
    maximumNodes = 512 + 16 * range.count
  }

  mutating func symbol() throws(NotUnderstood) {
    try path(inValue: true)
    if position < end, isUpperCase(bytes[position]) {
      try silently { (printer) throws(NotUnderstood) in try printer.path(inValue: false) }
    }
    guard position == end else { throw NotUnderstood() }
  }
}

// MARK: Paths

extension RustV0Printer {
  /// - Parameter inValue: whether generic arguments are written `::<…>`, as in an expression.
  mutating func path(inValue: Bool) throws(NotUnderstood) {
    try enter()
    defer { depth -= 1 }
    switch try next() {
    case "C":  // crate root
      _ = try disambiguator()
      try printIdentifier(try identifier())
    case "N":  // nested path
      try nestedPath(inValue: inValue)
    case "M":  // inherent impl
      try implPlace()
      try print("<")
      try type()
      try print(">")
    case "X":  // trait impl
      try implPlace()
      try qualifiedSelf()
    case "Y": try qualifiedSelf()  // trait definition
    case "I":  // generic arguments
      try path(inValue: inValue)
      if inValue { try print("::") }
      try print("<")
      try list { (printer) throws(NotUnderstood) in try printer.genericArgument() }
      try print(">")
    case "B":
      try backReference { (printer) throws(NotUnderstood) in try printer.path(inValue: inValue) }
    default: throw NotUnderstood()
    }
  }

  mutating func nestedPath(inValue: Bool) throws(NotUnderstood) {
    let namespace = try next()
    let letter = UInt8(ascii: namespace)
    guard isUpperCase(letter) || isLowerCase(letter) else { throw NotUnderstood() }
    try path(inValue: inValue)
    let number = try disambiguator()
    let name = try identifier()
    if isLowerCase(letter) {
      guard !name.isEmpty else { return }
      try print("::")
      return try printIdentifier(name)
    }
    try print("::{")
    switch namespace {
    case "C": try print("closure")
    case "S": try print("shim")
    default: try print([letter])
    }
    if !name.isEmpty {
      try print(":")
      try printIdentifier(name)
    }
    try print("#\(number)}")
  }

  /// Reads the path of an impl, which is not printed.
  mutating func implPlace() throws(NotUnderstood) {
    try silently { (printer) throws(NotUnderstood) in
      _ = try printer.disambiguator()
      try printer.path(inValue: false)
    }
  }

  mutating func qualifiedSelf() throws(NotUnderstood) {
    try print("<")
    try type()
    try print(" as ")
    try path(inValue: false)
    try print(">")
  }

  mutating func genericArgument() throws(NotUnderstood) {
    if eat("L") {
      try printLifetime(try base62())
    } else if eat("K") {
      try constant(inValue: false)
    } else {
      try type()
    }
  }
}

// MARK: Types

extension RustV0Printer {
  mutating func type() throws(NotUnderstood) {
    try enter()
    defer { depth -= 1 }
    let tag = try next()
    if let name = basicType(tag) { return try print(name) }
    switch tag {
    case "R", "Q":  // &T, &mut T
      try print("&")
      if eat("L") {
        let lifetime = try base62()
        if lifetime != 0 {
          try printLifetime(lifetime)
          try print(" ")
        }
      }
      if tag == "Q" { try print("mut ") }
      try type()
    case "P":
      try print("*const ")
      try type()
    case "O":
      try print("*mut ")
      try type()
    case "A", "S":  // [T; N], [T]
      try print("[")
      try type()
      if tag == "A" {
        try print("; ")
        try constant(inValue: true)
      }
      try print("]")
    case "T": try tuple { (printer) throws(NotUnderstood) in try printer.type() }
    case "F": try binder { (printer) throws(NotUnderstood) in try printer.functionPointer() }
    case "D": try traitObject()
    case "B": try backReference { (printer) throws(NotUnderstood) in try printer.type() }
    default:
      position -= 1
      try path(inValue: false)
    }
  }

  mutating func functionPointer() throws(NotUnderstood) {
    if eat("U") { try print("unsafe ") }
    if eat("K") {
      try print("extern \"")
      if eat("C") {
        try print("C")
      } else {
        let abi = try identifier()
        guard !abi.isEmpty, !abi.isPunycode else { throw NotUnderstood() }
        try print(abi.bytes.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 })
      }
      try print("\" ")
    }
    try print("fn(")
    try list { (printer) throws(NotUnderstood) in try printer.type() }
    try print(")")
    if eat("u") { return }  // returns ()
    try print(" -> ")
    try type()
  }

  mutating func traitObject() throws(NotUnderstood) {
    try print("dyn ")
    try binder { (printer) throws(NotUnderstood) in
      try printer.list(separator: " + ") { (printer) throws(NotUnderstood) in try printer.dynTrait()
      }
    }
    guard eat("L") else { throw NotUnderstood() }
    let lifetime = try base62()
    if lifetime != 0 {
      try print(" + ")
      try printLifetime(lifetime)
    }
  }

  /// A trait with its associated types among its generic arguments: `Iterator<Item = u8>`.
  mutating func dynTrait() throws(NotUnderstood) {
    var isOpen = try pathWithOpenArguments()
    while eat("p") {
      try print(isOpen ? ", " : "<")
      isOpen = true
      try printIdentifier(try identifier())
      try print(" = ")
      try type()
    }
    if isOpen { try print(">") }
  }

  /// - Returns: whether a `<` is still open.
  mutating func pathWithOpenArguments() throws(NotUnderstood) -> Bool {
    try enter()
    defer { depth -= 1 }
    if eat("B") {
      var isOpen = false
      try backReference { (printer) throws(NotUnderstood) in
        isOpen = try printer.pathWithOpenArguments()
      }
      return isOpen
    }
    guard eat("I") else {
      try path(inValue: false)
      return false
    }
    try path(inValue: false)
    try print("<")
    try list { (printer) throws(NotUnderstood) in try printer.genericArgument() }
    return true
  }

  func basicType(_ tag: Unicode.Scalar) -> String? {
    switch tag {
    case "a": "i8"
    case "b": "bool"
    case "c": "char"
    case "d": "f64"
    case "e": "str"
    case "f": "f32"
    case "h": "u8"
    case "i": "isize"
    case "j": "usize"
    case "l": "i32"
    case "m": "u32"
    case "n": "i128"
    case "o": "u128"
    case "p": "_"
    case "s": "i16"
    case "t": "u16"
    case "u": "()"
    case "v": "..."
    case "x": "i64"
    case "y": "u64"
    case "z": "!"
    default: nil
    }
  }
}

// MARK: Constants

extension RustV0Printer {
  /// Outside of a value, anything but a literal is in braces.
  mutating func constant(inValue: Bool) throws(NotUnderstood) {
    try enter()
    defer { depth -= 1 }
    let tag = try next()
    switch tag {
    case "p": try print("_")
    case "h", "t", "m", "y", "o", "j": try printInteger(try hexNibbles())
    case "a", "s", "l", "x", "n", "i":
      if eat("n") { try print("-") }
      try printInteger(try hexNibbles())
    case "b":
      switch value(ofHex: try hexNibbles()) {
      case 0: try print("false")
      case 1: try print("true")
      default: throw NotUnderstood()
      }
    case "c":
      guard let value = value(ofHex: try hexNibbles()), let code = UInt32(exactly: value),
        let scalar = Unicode.Scalar(code)
      else { throw NotUnderstood() }
      try print("'\(escaped(scalar, quote: "'"))'")
    case "B":
      try backReference { (printer) throws(NotUnderstood) in
        try printer.constant(inValue: inValue)
      }
    case "R" where eat("e"): try printStringLiteral()
    default:
      if !inValue { try print("{") }
      try compound(tag)
      if !inValue { try print("}") }
    }
  }

  mutating func compound(_ tag: Unicode.Scalar) throws(NotUnderstood) {
    switch tag {
    case "e":
      try print("*")
      try printStringLiteral()
    case "R", "Q":
      try print(tag == "R" ? "&" : "&mut ")
      try constant(inValue: true)
    case "A":
      try print("[")
      try list { (printer) throws(NotUnderstood) in try printer.constant(inValue: true) }
      try print("]")
    case "T": try tuple { (printer) throws(NotUnderstood) in try printer.constant(inValue: true) }
    case "V":
      try path(inValue: true)
      try fields()
    default: throw NotUnderstood()
    }
  }

  mutating func fields() throws(NotUnderstood) {
    switch try next() {
    case "U": return  // no fields
    case "T":
      try print("(")
      try list { (printer) throws(NotUnderstood) in try printer.constant(inValue: true) }
      try print(")")
    case "S":
      try print(" { ")
      try list { (printer) throws(NotUnderstood) in
        _ = try printer.disambiguator()
        try printer.printIdentifier(try printer.identifier())
        try printer.print(": ")
        try printer.constant(inValue: true)
      }
      try print(" }")
    default: throw NotUnderstood()
    }
  }

  mutating func printInteger(_ nibbles: Range<Int>) throws(NotUnderstood) {
    if let value = value(ofHex: nibbles) { return try print(String(value)) }
    try print("0x")
    try print(bytes[nibbles])
  }

  /// Two hex digits for each byte of UTF-8.
  mutating func printStringLiteral() throws(NotUnderstood) {
    let nibbles = try hexNibbles()
    guard nibbles.count % 2 == 0 else { throw NotUnderstood() }
    let utf8 = stride(from: nibbles.lowerBound, to: nibbles.upperBound, by: 2).map {
      hexDigit(bytes[$0]) << 4 | hexDigit(bytes[$0 + 1])
    }
    guard let literal = String(validating: utf8, as: UTF8.self) else { throw NotUnderstood() }
    try print("\"")
    for scalar in literal.unicodeScalars { try print(escaped(scalar, quote: "\"")) }
    try print("\"")
  }

  func escaped(_ scalar: Unicode.Scalar, quote: Unicode.Scalar) -> String {
    switch scalar {
    case "\t": "\\t"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\\", quote: "\\\(scalar)"
    default:
      scalar.value < 0x20 || scalar.value == 0x7f
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
  }
}

// MARK: Lists, references, lifetimes

extension RustV0Printer {
  typealias Element = (inout RustV0Printer) throws(NotUnderstood) -> Void

  /// Elements up to `E`.
  @discardableResult
  mutating func list(
    separator: String = ", ", _ element: Element
  ) throws(NotUnderstood) -> Int {
    var count = 0
    while !eat("E") {
      if count > 0 { try print(separator) }
      try element(&self)
      count += 1
    }
    return count
  }

  mutating func tuple(_ element: Element) throws(NotUnderstood) {
    try print("(")
    if try list(element) == 1 { try print(",") }
    try print(")")
  }

  /// Continues at an earlier position, then returns. While silent it is skipped, because it prints nothing.
  mutating func backReference(_ body: Element) throws(NotUnderstood) {
    let here = position - 1
    let distance = try base62()
    guard distance < UInt64(here - start) else { throw NotUnderstood() }
    if silence > 0 { return }
    let after = position
    position = start + Int(distance)
    try body(&self)
    position = after
  }

  mutating func silently(_ body: Element) throws(NotUnderstood) {
    silence += 1
    try body(&self)
    silence -= 1
  }

  /// Prints `for<'a, 'b> ` before what `body` prints.
  mutating func binder(_ body: Element) throws(NotUnderstood) {
    let count = try tagged("G")
    guard count <= UInt64(Self.maximumDepth) else { throw NotUnderstood() }
    lifetimes += count
    defer { lifetimes -= count }
    if count > 0 {
      try print("for<")
      for index in (1...count).reversed() {
        try printLifetime(index)
        try print(index > 1 ? ", " : "> ")
      }
    }
    try body(&self)
  }

  /// A lifetime by its distance from the innermost binder's last; 0 is erased.
  mutating func printLifetime(_ index: UInt64) throws(NotUnderstood) {
    if index == 0 { return try print("'_") }
    guard index <= lifetimes else {
      if silence > 0 { return }  // the binder may be in a skipped back reference
      throw NotUnderstood()
    }
    let number = lifetimes - index
    try print(number < 26 ? "'\(Unicode.Scalar(UInt8(ascii: "a") + UInt8(number)))" : "'_\(number)")
  }

  mutating func enter() throws(NotUnderstood) {
    depth += 1
    nodes += 1
    guard depth <= Self.maximumDepth, nodes <= maximumNodes else { throw NotUnderstood() }
  }
}
