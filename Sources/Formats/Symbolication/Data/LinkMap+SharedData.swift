import Addresses
import ByteReading
import LinkMapFormat

extension LinkMap {
  /// The addresses of variables and constants that share an input section with other data, because their object was
  /// compiled without `-fdata-sections`; an ELF linker moves them only together. Empty for a map of another format, and
  /// for maps that print no symbols of data.
  ///
  /// - Complexity: O(*n*) for *n* symbols and input sections.
  package var sharedData: Set<StatedAddress> {
    guard grammar.imageFormat == .elf else { return [] }
    var shared: Set<StatedAddress> = []
    for (index, section) in inputSections.enumerated() {
      let name = section.name.indices
      guard Self.sharedNames.contains(where: { bytes.isEqual(name, to: $0) }) else { continue }
      let addresses = Set(symbolIndexes(ofInputSection: index).map { symbols[$0].address })
      if addresses.count > 1 { shared.formUnion(addresses) }
    }
    return shared
  }

  /// The names that compilers give to a section with all data of one kind.
  private static let sharedNames: [StaticString] = [
    ".data", ".bss", ".rodata", ".data.rel", ".data.rel.local", ".data.rel.ro",
    ".data.rel.ro.local",
  ]
}
