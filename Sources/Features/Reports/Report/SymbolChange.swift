import ImageModel

/// A symbol whose functions have other sizes in the layout after than in the layout before.
package struct SymbolChange: Hashable, Sendable {
  package var name: SymbolName
  /// The bytes of all functions with this name; `nil` if the layout before has none.
  package var before: UInt64?
  /// The bytes of all functions with this name; `nil` if the layout after has none.
  package var after: UInt64?

  package init(_ name: SymbolName, before: UInt64?, after: UInt64?) {
    self.name = name
    self.before = before
    self.after = after
  }

  fileprivate var magnitude: UInt64 {
    let (before, after) = (before ?? 0, after ?? 0)
    return max(before, after) - min(before, after)
  }
}

extension SymbolChange {
  /// The largest number of changes in a report; the smallest changes are left out.
  static let most = 2_000

  /// Compares two layouts by symbol: the largest changes first, and changes of the same size by name.
  ///
  /// - Complexity: O(*n* log *n*) on average for *n* functions.
  package static func between(_ before: ReportLayout, _ after: ReportLayout) -> [SymbolChange] {
    let (old, new) = (before.bytesBySymbol, after.bytesBySymbol)
    var changes = old.compactMap { name, bytes in
      new[name] == bytes ? nil : SymbolChange(name, before: bytes, after: new[name])
    }
    for (name, bytes) in new where old[name] == nil {
      changes.append(SymbolChange(name, before: nil, after: bytes))
    }
    return changes.sorted { ($1.magnitude, $0.name) < ($0.magnitude, $1.name) }
  }
}

extension ReportLayout {
  /// The bytes of the functions with each name. Aliases count once, under the first of their names.
  fileprivate var bytesBySymbol: [SymbolName: UInt64] {
    var bytes: [SymbolName: UInt64] = [:]
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      defer { index = aliases.upperBound }
      let names = aliases.compactMap { layout.symbolName(of: layout.functions[$0]) }
      guard let name = names.min() else { continue }
      let size = layout.functions[aliases.upperBound - 1].knownBytes
      bytes[name] = [bytes[name] ?? 0, size].saturatingSum()
    }
    return bytes
  }
}
