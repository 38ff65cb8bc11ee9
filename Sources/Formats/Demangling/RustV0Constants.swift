// The constants among the generic arguments of a name of Rust's mangling scheme v0, see RustV0Demangling.swift.

extension RustV0Printer {
  /// Prints a constant. Outside of a value, a constant that is no literal is in braces.
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

  /// Prints a string literal, which has two hexadecimal digits for each byte of UTF-8.
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
