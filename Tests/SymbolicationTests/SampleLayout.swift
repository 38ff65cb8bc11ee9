import Addresses
import ImageModel

/// Functions of 16 bytes, one behind the other from 0x1000 on; a name with `=` before it shares the
/// address of the one before.
func sampleLayout(_ symbols: [String]) -> Layout {
  var names = NameTable()
  var address: UInt64 = 0x0ff0
  var functions: [Function] = []
  for symbol in symbols {
    let isAlias = symbol.hasPrefix("=")
    if !isAlias { address += 16 }
    guard let name = names.append(Array(symbol.utf8.dropFirst(isAlias ? 1 : 0))) else { continue }
    functions.append(
      Function(name: name, address: StatedAddress(rawValue: address), size: 16, section: 0))
  }
  let section = Section(
    name: ".text",
    range: AddressRange(
      start: StatedAddress(rawValue: 0x1000), size: UInt64(symbols.count + 1) * 16),
    isExecutable: true)
  return Layout(sections: [section], functions: functions, names: names)
}

extension Layout {
  func names(_ indexes: some Sequence<Int>) -> [String] {
    indexes.map { name(of: functions[$0]).description }
  }
}
