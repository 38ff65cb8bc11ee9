// The section and the symbol at an address of an image, and whether the loader writes there.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The contents of the memory that a linked ELF image fills.
package struct ImageContents: Sendable {
  /// The path of the loader that the program asks for; `nil` for libraries and static programs.
  package let interpreter: String?
  /// The sections, ascending by address.
  private var sections: [(range: AddressRange, name: String)] = []
  /// The functions and variables with a size, ascending by address.
  private var symbols: [Symbol] = []
  /// The addresses of the words that the loader writes, ascending.
  private var words: [StatedAddress] = []
  private let wordSize: UInt64
  private let names: StringTable?

  private struct Symbol {
    var range: AddressRange
    /// The offset of the name in `names`.
    var name: UInt32
  }

  /// - Throws: the error in the file's headers. A damaged symbol table or table of relocations counts as empty.
  /// - Complexity: O(*n* log *n*) for *n* sections, symbols and relocated words.
  package init(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes) else {
      throw ParseError(
        .unsupported(found: "something other than an ELF image"), "e_ident",
        at: FileOffset(rawValue: 0))
    }
    interpreter = ((try? file.interpreter()) ?? nil).map { String(decoding: $0, as: UTF8.self) }
    wordSize = file.header.is64Bit ? 8 : 4

    sections = file.sections.filter { section in
      section.flags.contains(.allocated) && section.size > 0
        && !(section.type == .noBits && section.flags.contains(.threadLocal))
    }.map { section in
      (section.range, String(decoding: bytes.copy(section.name.indices), as: UTF8.self))
    }.sorted { $0.range.start < $1.range.start }

    let table = ((try? file.symbolTable()) ?? nil) ?? ((try? file.dynamicSymbolTable()) ?? nil)
    names = table?.names
    var symbols: [Symbol] = []
    table?.forEachSymbol { symbol in
      guard symbol.sectionIndex.isInSection, symbol.size > 0,
        [.object, .function, .indirectFunction].contains(symbol.type)
      else { return }
      symbols.append(
        Symbol(
          range: AddressRange(start: symbol.value, size: symbol.size), name: symbol.nameOffset))
    }
    self.symbols = symbols.enumerated().sorted {
      ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
    }.map(\.element)

    var words: [StatedAddress] = []
    do { try file.forEachRelocatedWord { words.append($1) } } catch { words = [] }
    self.words = words.sorted()
  }

  /// The name of the section at `address`; `ELF header` before the first section.
  ///
  /// - Returns: `nil` between sections, and in files without section headers.
  /// - Complexity: O(log *n*) for *n* sections.
  package func section(at address: StatedAddress) -> String? {
    let end = sections.partitioningIndex { $0.range.start > address }
    if end > 0, sections[end - 1].range.contains(address) { return sections[end - 1].name }
    return end == 0 && !sections.isEmpty ? "ELF header" : nil
  }

  /// The function or variable at `address`; the last one that begins before it, if several overlap.
  ///
  /// - Complexity: O(log *n* + *a*) for *n* symbols, and *a* aliases of the found symbol.
  package func symbol(at address: StatedAddress) -> SymbolName? {
    let end = symbols.partitioningIndex { $0.range.start > address }
    guard end > 0, let names else { return nil }
    // Aliases of one size are neighbors; the first of them in the table counts.
    let last = symbols[end - 1]
    let index = symbols[..<end].lastIndex { $0.range != last.range }.map { $0 + 1 } ?? 0
    guard last.range.contains(address), let name = names.name(at: symbols[index].name) else {
      return nil
    }
    return SymbolName(bytes: names.bytes.copy(name.indices))
  }

  /// Whether the loader writes the word at `address`.
  ///
  /// - Complexity: O(log *n*) for *n* words.
  package func isRelocated(at address: StatedAddress) -> Bool {
    let end = words.partitioningIndex { $0 > address }
    return end > 0 && address.rawValue - words[end - 1].rawValue < wordSize
  }
}
