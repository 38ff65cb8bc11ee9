import ImageModel

/// Returns each of `symbols` as the number of characters that it shares with the symbol before, and the rest. An empty
/// symbol shares no characters, and the next symbol is compared with the last one that is not empty. Only ASCII
/// characters are shared, because all programs count them in the same way.
func unshared(_ symbols: [String]) -> [(shared: Int, rest: String)] {
  var before: Substring.UTF8View = Substring().utf8
  return symbols.map { symbol in
    if symbol.isEmpty { return (0, "") }
    let shared = zip(before, symbol.utf8).prefix { $0 == $1 && $0 < 0x80 }.count
    before = symbol[...].utf8
    return (shared, String(decoding: symbol.utf8.dropFirst(shared), as: UTF8.self))
  }
}

/// The names of a report, each once. All other parts of the report refer to names by number.
struct ReportNames {
  /// The names, as in the symbol table.
  private(set) var symbols: [SymbolName] = []
  private var numbers: [SymbolName: Int] = [:]

  /// Returns the number of `name`, which is added if it is new.
  mutating func number(of name: SymbolName) -> Int {
    if let known = numbers[name] { return known }
    numbers[name] = symbols.count
    symbols.append(name)
    return symbols.count - 1
  }

  /// Returns the number of `name`, which is added if it is new; -1 for no name.
  mutating func number(of name: SymbolName?) -> Int {
    guard let name else { return -1 }
    return number(of: name)
  }
}
