import ImageModel
import OrderFileFormat

/// The sections of a layout that hold functions which an order file lists.
package struct OrderedSections: Sendable {
  /// The output sections, with the number of listed functions, in ascending address order. A linker orders each section
  /// separately, so that several sections split the order. Of sections that the linker orders together, only the first is
  /// listed.
  package let counts: [(section: SymbolName, functions: Int)]
  /// The number of listed functions whose input section is not among the sections that the order file names for them.
  package let inOtherSection: Int

  /// - Parameter architecture: as for `OrderFileCheck`.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  package init(of order: OrderFile, in layout: Layout, architecture: Architecture? = nil) {
    let groups = order.dialect.orderedTogether(layout.sections)
    var counts = [Int](repeating: 0, count: layout.sections.count)
    let symbols = OrderedSymbols(order, in: layout, architecture: architecture).symbols
    inOtherSection = symbols.count { $0.reasonIfMissing == .otherSection }
    for symbol in symbols {
      let functions = symbol.found.lazy.map { layout.functions[$0.function] }
      for group in Set(functions.map { groups[Int($0.section)] })
      where functions.contains(where: { layout.canMove($0, by: order.dialect) }) {
        counts[group] += 1
      }
    }
    self.counts = counts.indices.filter { counts[$0] > 0 }.map {
      (layout.sections[$0].name, counts[$0])
    }
  }
}

extension OrderFileDialect {
  /// For each section, the index of the first section that the linker orders together with it: the script of GNU ld
  /// moves functions out of `.text` into a section of another name, and mold makes several sections of renamed ones.
  func orderedTogether(_ sections: [Section]) -> [Int] {
    guard movesToOwnSection else {
      let first = sections.firstIndex { RenamingLinker.makes($0.name.bytes) }
      return sections.indices.map { index in
        RenamingLinker.makes(sections[index].name.bytes) ? first ?? index : index
      }
    }
    func isText(_ section: Section) -> Bool {
      section.name == ".text" || section.name.bytes.starts(with: ".text.".utf8)
    }
    let text = sections.firstIndex(where: isText)
    return sections.indices.map { isText(sections[$0]) ? text ?? $0 : $0 }
  }
}
