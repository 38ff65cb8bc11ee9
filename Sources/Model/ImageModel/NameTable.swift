/// The place of a name in a `NameTable`: 8 bytes, so that a function needs no allocation.
package struct NameReference: Hashable, Sendable {
  /// The offset of the name in bytes from the start of the table.
  package var offset: UInt32
  /// The length of the name in bytes.
  package var count: UInt32

  package init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }
}

/// The names of an image in one buffer: a copy of a string table, or names appended one by one.
package struct NameTable: Sendable {
  /// The text of the names; at most 4 GiB.
  package private(set) var bytes: [UInt8]

  package init() { bytes = [] }

  /// Takes a whole string table; references then point into it.
  ///
  /// - Precondition: the table has at most 4 GiB.
  package init(bytes: [UInt8]) {
    precondition(bytes.count <= Int(UInt32.max), "a string table's offsets have 32 bits")
    self.bytes = bytes
  }

  /// Appends a name.
  ///
  /// - Returns: `nil` if the table would exceed 4 GiB.
  package mutating func append(_ name: some Collection<UInt8>) -> NameReference? {
    guard bytes.count + name.count <= Int(UInt32.max) else { return nil }
    let reference = NameReference(
      offset: UInt32(bytes.count), count: UInt32(name.count))
    bytes.append(contentsOf: name)
    return reference
  }

  /// The bytes of a name, without a copy.
  package subscript(reference: NameReference) -> ArraySlice<UInt8> {
    let start = Int(reference.offset)
    return bytes[start..<start + Int(reference.count)]
  }

  /// A name as a separate value.
  package func name(_ reference: NameReference) -> SymbolName { SymbolName(bytes: self[reference]) }
}
