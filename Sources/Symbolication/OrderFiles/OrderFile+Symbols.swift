import ByteReading
import ImageModel
import OrderFileFormat

extension OrderFile {
  /// One function that an order file asks for.
  package struct Symbol: Hashable, Sendable {
    package var name: SymbolName
    /// As ld64 names it; `nil` is all.
    package var objectFile: SymbolName?
  }

  /// The symbols that this file asks for, each once, in the order of their first entries.
  ///
  /// Entries for other architectures than `architecture` are left out, and what stands behind
  /// `f.llvm.1` as `f`: it is the same function, as another linker calls it.
  ///
  /// - Complexity: O(*n*) for *n* bytes in all names, on average.
  package func symbols(for architecture: Architecture?) -> [Symbol] {
    let prefix = self.architecture(matching: architecture)
    var seen: Set<Symbol> = []
    var promoted: Set<NameKey> = []
    return entries.compactMap { entry in
      guard !entry.symbol.isEmpty, entry.architecture == nil || entry.architecture == prefix else {
        return nil
      }
      if dialect.imageFormat == .machO {
        let cut = cutPromotion(entry.symbol[...])
        if cut.count < entry.symbol.count {
          promoted.insert(NameKey(cut))
        } else if promoted.contains(NameKey(cut)) {
          return nil
        }
      }
      let symbol = Symbol(
        name: SymbolName(bytes: entry.symbol),
        objectFile: entry.objectFile.map { SymbolName(bytes: $0) })
      return seen.insert(symbol).inserted ? symbol : nil
    }
  }

  /// How entries for `architecture` name it; where that is not known, how the first one does that names
  /// any.
  func architecture(matching architecture: Architecture?) -> [UInt8]? {
    architecture?.orderFilePrefix ?? entries.lazy.compactMap(\.architecture).first
  }
}
