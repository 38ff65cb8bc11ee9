import ImageModel

/// The names of a report, each once; everything else refers to them by number.
struct ReportNames {
  /// As in the symbol table.
  private(set) var symbols: [SymbolName] = []
  private var numbers: [SymbolName: Int] = [:]

  /// The number of `name`, which is added if it is new.
  mutating func number(of name: SymbolName) -> Int {
    if let known = numbers[name] { return known }
    numbers[name] = symbols.count
    symbols.append(name)
    return symbols.count - 1
  }

  /// The same; -1 for no name.
  mutating func number(of name: SymbolName?) -> Int {
    guard let name else { return -1 }
    return number(of: name)
  }
}
