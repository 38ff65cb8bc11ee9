/// Where one name stands in a `NameTable`: 8 bytes, so that a function costs no allocation.
package struct NameReference: Hashable, Sendable {
  /// In bytes from the start of the table.
  package var offset: UInt32
  /// In bytes.
  package var count: UInt32

  package init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }
}

/// The names of one image in one buffer: a copy of a string table, or names appended one by one.
package struct NameTable: Sendable {
  /// At most 4 GiB.
  package private(set) var bytes: [UInt8]

  package init() { bytes = [] }

  /// Takes over a whole string table; references then point into it.
  ///
  /// - Precondition: at most 4 GiB.
  package init(bytes: [UInt8]) {
    precondition(bytes.count <= Int(UInt32.max), "a string table's offsets have 32 bits")
    self.bytes = bytes
  }

  /// Adds a name at the end.
  ///
  /// - Returns: `nil` if the table would pass 4 GiB.
  package mutating func append(_ name: some Collection<UInt8>) -> NameReference? {
    guard bytes.count + name.count <= Int(UInt32.max) else { return nil }
    let reference = NameReference(
      offset: UInt32(bytes.count), count: UInt32(name.count))
    bytes.append(contentsOf: name)
    return reference
  }

  /// The bytes of one name, without a copy.
  package subscript(reference: NameReference) -> ArraySlice<UInt8> {
    let start = Int(reference.offset)
    return bytes[start..<start + Int(reference.count)]
  }

  /// One name as a value of its own.
  package func name(_ reference: NameReference) -> SymbolName { SymbolName(bytes: self[reference]) }
}
