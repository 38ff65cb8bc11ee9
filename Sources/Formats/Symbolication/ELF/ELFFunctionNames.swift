import ByteReading
import ImageModel
import ObjectFormat

/// The names of a string table, as references into a `NameTable` that is a copy of it.
struct ELFFunctionNames {
  private let table: StringTable
  private let bytes: FileBytes
  private let start: Int

  init(_ table: StringTable) {
    self.table = table
    bytes = table.bytes
    start = table.range.indices.lowerBound
  }

  /// The name at `offset` without its version: `f@V1` and `f@@V1` give `f`. As in lld's
  /// `Symbol::parseSymbolVersion`, a leading `@` does not begin a version.
  ///
  /// - Returns: `nil` if the name begins or ends outside the table.
  func reference(at offset: UInt32) -> NameReference? {
    guard let name = table.name(at: offset)?.indices else { return nil }
    let at = bytes.firstIndex(of: UInt8(ascii: "@"), in: name) ?? name.upperBound
    let isVersioned = at > name.lowerBound && at + 1 < name.upperBound
    let end = isVersioned ? at : name.upperBound
    // Offset and size fit in 32 bits, because the caller has checked that the table is at most 4 GiB.
    return NameReference(
      offset: UInt32(name.lowerBound - start), count: UInt32(end - name.lowerBound))
  }

  /// Whether LLVM made the label for a basic block: `.LBB7_3`, `.LBB_END7_3`. The label of a function's last block is at
  /// the end of the function (`--save-temp-labels`).
  func isBlockLabel(_ name: NameReference) -> Bool {
    name.count > 4 && bytes.hasPrefix(".LBB", at: start + Int(name.offset))
  }

  func isMappingSymbol(_ name: NameReference) -> Bool {
    let first = start + Int(name.offset)
    return Symbolication.isMappingSymbol(bytes, first..<first + Int(name.count))
  }
}
