import Addresses
import ImageModel

/// Functions of `__TEXT,__text` at 0x100000400, 16 bytes each, one behind the other. A name with `=` before
/// it shares the address of the one before; what stands before a `|` is its object file.
func machOLayout(_ symbols: [String]) -> Layout {
  var names = NameTable()
  func add(_ text: some StringProtocol) -> NameReference {
    names.append(Array(text.utf8)) ?? NameReference(offset: 0, count: 0)
  }
  var address: UInt64 = 0x1_0000_03f0
  let functions = symbols.map { symbol in
    let isAlias = symbol.hasPrefix("=")
    if !isAlias { address += 16 }
    let parts = symbol.dropFirst(isAlias ? 1 : 0).split(separator: "|")
    return Function(
      name: add(parts[parts.count - 1]), address: StatedAddress(rawValue: address), size: 16,
      section: 0, objectFile: parts.count > 1 ? add(parts[0]) : nil)
  }
  let section = Section(
    name: "__TEXT,__text",
    range: AddressRange(
      start: StatedAddress(rawValue: 0x1_0000_0400), size: UInt64(symbols.count + 1) * 16),
    isExecutable: true)
  return Layout(sections: [section], functions: functions, names: names)
}
