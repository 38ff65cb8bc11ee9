import ByteReading
import ImageModel

extension OrderFile {
  /// A function that an order file lists.
  package struct Symbol: Hashable, Sendable {
    package var name: SymbolName
    /// In ld64's notation; `nil` means all object files.
    package var objectFile: SymbolName?

    package init(name: SymbolName, objectFile: SymbolName?) {
      self.name = name
      self.objectFile = objectFile
    }
  }

  /// The symbols that this file lists, each once, in the order of their first entries.
  ///
  /// Entries for other architectures than `architecture` are left out. In an order file for Mach-O, `f` is also left out
  /// after `f.llvm.1`: both lines name the same function, for different linkers.
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

  /// Returns the notation of entries for `architecture`; if `architecture` is `nil`, the notation of the first entry
  /// with an architecture.
  package func architecture(matching architecture: Architecture?) -> [UInt8]? {
    architecture?.orderFilePrefix ?? entries.lazy.compactMap(\.architecture).first
  }
}
