// Converts names of Rust's mangling scheme v0 (RFC 2603), `_R…`, to the paths that a Rust programmer writes.
// <https://doc.rust-lang.org/rustc/symbol-mangling/v0.html>
//
// A name is a tree in prefix notation: each node begins with a letter that gives its kind. `N v C6_3app 3run` is the
// value `run` in the crate `app`; a hash of the crate follows the `C`. `B<number>_` repeats the node at that position.
// This makes names short and texts long: a name of a kilobyte can produce more text than a disk holds. So the depth and
// the length of the text are limited, and the number of nodes too, since a node may print nothing. A name that exceeds
// a limit is rejected, like a name that is not well-formed.
//
// The output is the same as from rustc's own demangler in its alternate form: without crate hashes, and without the
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
  /// The index from which positions in back references count.
  let start: Int
  let end: Int
  var position: Int
  var text: [UInt8] = []
  /// The number of enclosing parts that are read without being printed, such as the instantiating crate and the paths
  /// of impls; 0 while text is printed.
  var silence = 0
  var depth = 0
  var nodes = 0
  /// The number of lifetimes of all enclosing `for<…>`.
  var lifetimes: UInt64 = 0

  // The largest depth of nodes, which is more than compilers write: rustc's own demangler stops at a depth of 500.
  static let maximumDepth = 300
  static let maximumText = Int(ParsingLimits.demangledName)
  /// The largest number of nodes, which is proportional to the length of the name. The limit is needed because a node
  /// may print nothing.
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

// MARK: Lists, references, lifetimes

extension RustV0Printer {
  typealias Element = (inout RustV0Printer) throws(NotUnderstood) -> Void

  /// Reads elements up to `E`, and returns their number.
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

  /// Reads the node at an earlier position of the name, and then continues after the reference. While silent, the
  /// reference is skipped, because it would print nothing.
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

  /// Prints a lifetime by its distance from the last lifetime of the innermost binder; 0 is an erased lifetime.
  mutating func printLifetime(_ index: UInt64) throws(NotUnderstood) {
    if index == 0 { return try print("'_") }
    guard index <= lifetimes else {
      // the binder of the lifetime may be in a back reference that was skipped.
      if silence > 0 { return }
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
