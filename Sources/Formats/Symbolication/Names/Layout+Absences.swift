import ByteReading
import ImageModel

extension Layout {
  /// The reasons why symbols called `names` are no functions of this layout, where the layout states a reason. If
  /// several absent symbols have one name, the first of them gives the reason.
  ///
  /// - Complexity: O(*n* + *a*) for *n* names and *a* absent symbols, on average.
  package func absences(of names: [SymbolName]) -> [NameKey: AbsentSymbol.Reason] {
    guard !absentSymbols.isEmpty else { return [:] }
    var unexplained = Set(names.map { NameKey($0.bytes) })
    var reasons: [NameKey: AbsentSymbol.Reason] = [:]
    for symbol in absentSymbols {
      guard !unexplained.isEmpty else { break }
      let name = NameKey(self.names[symbol.name])
      if unexplained.remove(name) != nil { reasons[name] = symbol.reason }
    }
    return reasons
  }
}
