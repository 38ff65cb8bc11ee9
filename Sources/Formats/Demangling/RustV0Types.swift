// The types in a name of Rust's mangling scheme v0, see RustV0Demangling.swift.

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

  /// Prints a trait with its associated types among its generic arguments: `Iterator<Item = u8>`.
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
