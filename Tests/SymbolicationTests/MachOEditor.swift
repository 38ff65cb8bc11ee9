import Testing

/// Makes changes to a Mach-O file for which no tool exists. The file is an image without a fat header.
enum MachOEditor {
  /// Hands the `nlist_64` of the symbol called `name` to `edit`.
  static func editSymbol(
    _ name: String, in bytes: inout [UInt8], _ edit: (inout ArraySlice<UInt8>) -> Void
  ) throws {
    let table = try #require(command(0x2, in: bytes))  // LC_SYMTAB
    let symbols = word(bytes, table + 8)
    let names = word(bytes, table + 16)
    for index in 0..<word(bytes, table + 12) {
      let symbol = symbols + 16 * index
      let start = names + word(bytes, symbol)
      if bytes[start...].starts(with: Array(name.utf8) + [0]), bytes[symbol + 4] & 0xe0 == 0 {
        var entry = bytes[symbol..<symbol + 16]
        edit(&entry[...])
        bytes.replaceSubrange(symbol..<symbol + 16, with: entry)
        return
      }
    }
    Issue.record("no symbol \(name)")
  }

  /// Writes `new`, of the same length, over the name `old`.
  static func rename(_ old: String, to new: String, in bytes: inout [UInt8]) throws {
    try #require(old.utf8.count == new.utf8.count)
    let table = try #require(command(0x2, in: bytes))
    let names = word(bytes, table + 16)
    let needle = [0] + Array(old.utf8) + [0]
    let start = try #require(
      (names..<bytes.count - needle.count).first {
        bytes[$0..<$0 + needle.count].elementsEqual(needle)
      })
    bytes.replaceSubrange(start + 1..<start + 1 + new.utf8.count, with: new.utf8)
  }

  /// Removes all symbols. No tool removes the symbols of a dSYM but keeps its DWARF.
  static func removeSymbols(from bytes: inout [UInt8]) throws {
    let table = try #require(command(0x2, in: bytes))
    bytes.replaceSubrange(table + 12..<table + 16, with: [0, 0, 0, 0])  // nsyms
  }

  /// The offset of the first load command of that kind.
  static func command(_ kind: Int, in bytes: [UInt8]) -> Int? {
    var at = 32
    for _ in 0..<word(bytes, 16) {
      if word(bytes, at) == kind { return at }
      at += word(bytes, at + 4)
    }
    return nil
  }

  static func word(_ bytes: [UInt8], _ at: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
  }
}
