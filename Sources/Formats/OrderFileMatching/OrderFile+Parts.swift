import ImageModel
import OrderFileFormat

extension OrderFile {
  /// For each entry, the parts of `layout` that it places; empty for an entry that matches nothing, and for an entry
  /// that an equal entry overrides.
  ///
  /// - Parameter architecture: the architecture of the layout; `nil` means the first architecture that the file names.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  package func parts(in layout: Layout, architecture: Architecture? = nil) -> [[Part]] {
    var parts = [[Part]](repeating: [], count: entries.count)
    for symbol in OrderedSymbols(self, in: layout, architecture: architecture).symbols {
      for found in symbol.found { parts[found.entry].append(Part(found.function)) }
    }
    return parts
  }

  /// Returns the entries without the symbols that `layout` does not have, and the number of dropped entries. Entries
  /// that name only sections stay, because an image does not show its input sections.
  ///
  /// - Parameter architecture: the architecture of the layout, as for `parts`.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  package func entriesOfSymbols(
    in layout: Layout, architecture: Architecture? = nil
  ) -> (entries: [OrderFileEntry], dropped: Int) {
    let absent = Set(
      OrderedSymbols(self, in: layout, architecture: architecture).symbols
        .filter { $0.reasonIfMissing == .noSuchSymbol }.flatMap(\.entries))
    return (entries.indices.filter { !absent.contains($0) }.map { entries[$0] }, absent.count)
  }
}
