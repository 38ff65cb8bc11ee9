import ByteReading
import ImageModel

extension Layout {
  /// Why symbols called `names` are no functions of this layout, as far as it tells. The first of several absent symbols
  /// of a name tells why.
  ///
  /// - Complexity: O(*n* + *a*) for *n* names and *a* absent symbols, on average.
  package func absences(of names: some Sequence<SymbolName>) -> [NameKey: AbsentSymbol.Reason] {
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
