import ImageModel

/// Functions of 16 bytes, one behind the other from 0x1000 on; a name with `=` before it shares the
/// address of the one before.
package func elfLayout(_ symbols: [String]) -> Layout {
  sampleLayout(
    sampleFunctions(symbols, from: 0x1000),
    sections: [
      SampleSection(name: ".text", address: 0x1000, size: UInt64(symbols.count + 1) * 16)
    ])
}

/// Functions of `__TEXT,__text` at 0x100000400, 16 bytes each, one behind the other. A name with `=` before it shares
/// the address of the one before; the text before a `|` is its object file, from a link map or from a debug map.
package func machOLayout(_ symbols: [String], isDebugMap: Bool = false) -> Layout {
  let start: UInt64 = 0x1_0000_0400
  let functions = sampleFunctions(symbols, from: start).map { function in
    let parts = function.name.description.split(separator: "|")
    guard parts.count > 1 else { return function }
    let file = SymbolName(String(parts[0]))
    return SampleFunction(
      name: SymbolName(String(parts[1])), address: function.address,
      objectFile: isDebugMap ? nil : file, compiledObjectFile: isDebugMap ? file : nil)
  }
  return sampleLayout(
    functions,
    sections: [
      SampleSection(name: "__TEXT,__text", address: start, size: UInt64(symbols.count + 1) * 16)
    ], format: .machO)
}

private func sampleFunctions(_ symbols: [String], from start: UInt64) -> [SampleFunction] {
  var address = start - 16
  return symbols.map { symbol in
    let isAlias = symbol.hasPrefix("=")
    if !isAlias { address += 16 }
    return SampleFunction(
      name: SymbolName(String(symbol.dropFirst(isAlias ? 1 : 0))), address: address)
  }
}

extension Layout {
  package func names(_ indexes: some Sequence<Int>) -> [String] {
    indexes.map { name(of: functions[$0]).description }
  }
}
