// The places of variables, constants and strings in an image
//
// A linker orders data by the same file as functions: it moves each variable or constant that has its own input
// section. So the data of an image have their own layout, in which a symbol is like a function in a layout of code: it
// has a name, an address, a size and a section, aliases, namesakes and other names in other builds. The code that
// orders, names or checks functions also does so for data.
//
// Only sections whose contents are the program's own count. Sections that the linker or the loader makes up (`.dynsym`,
// `.got`, `__got`), lists in which the order has a meaning (`.init_array`, sections that `__start_NAME` delimits), and
// metadata of a language's runtime are left out: no order file should move them.
//
// Thread-local data are left out, too: a new thread copies all of them.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The contents of a section of data, by what loading it costs. Raw values appear in reports.
package enum DataKind: String, CaseIterable, Sendable {
  /// Constants without addresses: `.rodata`, `__TEXT,__const`.
  case constants
  /// Constants that have addresses, which the loader writes: `.data.rel.ro`, `__DATA_CONST,__const`.
  case relocatedConstants = "relocated constants"
  /// Variables, as in `.data` and `__data`.
  case variables
  /// `.bss`, `__bss`, `__common`: no file has their bytes.
  case zeroFilled = "zero-filled"
  /// C strings, `__cstring`. The linker keeps one copy of each string. ELF linkers put C strings into `.rodata`.
  case strings
}

/// The variables, constants and strings of a linked image.
package struct DataLayout: Sendable {
  /// The sections with data; their symbols are its `functions`. Every symbol has a size: where the symbol table states
  /// none, the symbol extends to the next symbol of its section.
  package let layout: Layout
  /// The kind of the data in each section, parallel to the layout's sections.
  package let kinds: [DataKind]
  /// The words that the loader writes when it loads the image, ascending.
  package let relocatedWords: [StatedAddress]
  /// Strings, ascending by address.
  package let strings: [CString]
  /// The range of each section's bytes in the file, parallel to the layout's sections; `nil` if the file has no bytes
  /// of the section.
  package let contents: [ByteRange?]

  /// - Parameter symbols: the symbols of data; a symbol of unknown size has no size.
  init(
    sections: [(section: Section, kind: DataKind, contents: ByteRange?)], symbols: NamedFunctions,
    relocatedWords: [StatedAddress], format: ImageFormat, bytes: FileBytes
  ) {
    let sorted = Layout(
      imageFormat: format, sections: sections.map(\.section), functions: symbols.functions,
      names: symbols.names)
    layout = Layout(
      imageFormat: format, sections: sorted.sections, functions: Self.withSizes(sorted),
      names: sorted.names)
    // Sections of one name and range can't be told apart, and need not be.
    var known: [Section: (kind: DataKind, contents: ByteRange?)] = [:]
    for (section, kind, contents) in sections { known[section] = (kind, contents) }
    kinds = layout.sections.map { known[$0]?.kind ?? .constants }
    contents = layout.sections.map { known[$0]?.contents }
    strings = layout.sections.flatMap { section -> [CString] in
      guard let (kind, contents) = known[section], kind == .strings, let contents else { return [] }
      return CString.all(in: contents, of: bytes, at: section.range.start)
    }
    self.relocatedWords = relocatedWords.sorted()
  }

  /// The functions of `layout`. A function of unknown size gets a size that reaches to the next symbol or to the end of
  /// its section.
  private static func withSizes(_ layout: Layout) -> [PlacedSymbol] {
    var functions = layout.functions
    var next: StatedAddress?
    var limit: StatedAddress?
    for index in functions.indices.reversed() {
      let address = functions[index].address
      if let known = next, known > address { limit = known }
      next = address
      guard functions[index].size == nil else { continue }
      let end = layout.sections[Int(functions[index].section)].range.end
      let last = min(limit ?? end, end)
      functions[index].size = max(last.rawValue - address.rawValue, 1)
    }
    return functions
  }
}

extension DataLayout {
  /// What is at an address of an image.
  package enum Place: Hashable, Sendable {
    /// The address is in a variable or constant, whose names are the layout's functions with these indexes.
    case symbol(Range<Int>)
    /// The address is in the string at this index of `strings`.
    case string(Int)
    /// The address is in data without a symbol, which compilers write or linkers merge.
    case unnamed(DataKind)
  }

  /// Returns what is at `address`; `nil` outside all sections of data.
  ///
  /// - Complexity: O(log *n*) for *n* symbols and strings.
  package func place(at address: StatedAddress) -> Place? {
    guard let section = layout.section(containing: address) else { return nil }
    if kinds[section] == .strings {
      let next = strings.partitioningIndex { $0.range.start > address }
      if next > 0, strings[next - 1].range.contains(address) { return .string(next - 1) }
    }
    let symbols = layout.functions(containing: address)
    return symbols.isEmpty ? .unnamed(kinds[section]) : .symbol(symbols)
  }

  /// Returns what `range` overlaps, which may be several variables or strings; each once, by address.
  ///
  /// - Complexity: O(*k* log *n*) for *k* of *n* symbols and strings.
  package func places(in range: AddressRange) -> [Place] {
    var places = [place(at: range.start)].compactMap { $0 }
    var next = layout.functions.partitioningIndex { $0.address > range.start }
    while next < layout.functions.count, layout.functions[next].address < range.end {
      let names = layout.functions(at: layout.functions[next].address)
      places.append(.symbol(names))
      next = names.upperBound
    }
    var string = strings.partitioningIndex { $0.range.start > range.start }
    while string < strings.count, strings[string].range.start < range.end {
      places.append(.string(string))
      string += 1
    }
    // A granule that begins in the padding before a variable belongs to the variable.
    let isNamed = places.contains { if case .unnamed = $0 { false } else { true } }
    return isNamed ? places.filter { if case .unnamed = $0 { false } else { true } } : places
  }

  /// Whether the loader writes to `range`.
  ///
  /// - Complexity: O(log *n*) for *n* words.
  package func isRelocated(_ range: AddressRange) -> Bool {
    let first = relocatedWords.partitioningIndex { $0 >= range.start }
    return first < relocatedWords.count && relocatedWords[first] < range.end
  }
}

/// A string literal of C in a linked image.
package struct CString: Hashable, Sendable {
  /// The range of the string in memory, with the zero that ends the string.
  package let range: AddressRange
  /// The range of the string in the file, without the zero that ends it.
  package let contents: Range<Int>

  /// All strings of a section.
  ///
  /// - Parameters:
  ///   - contents: the place of the section in `bytes`.
  ///   - address: the address of the section's first byte.
  /// - Complexity: O(*n*) for *n* bytes.
  static func all(
    in contents: ByteRange, of bytes: FileBytes, at address: StatedAddress
  ) -> [CString] {
    let whole = contents.indices
    var strings: [CString] = []
    var start = whole.lowerBound
    while let end = bytes.firstIndex(of: 0, in: start..<whole.upperBound) {
      let place = address.rawValue.addingReportingOverflow(UInt64(start - whole.lowerBound))
      guard !place.overflow else { break }
      strings.append(
        CString(
          range: AddressRange(
            start: StatedAddress(rawValue: place.partialValue), size: UInt64(end - start + 1)),
          contents: start..<end))
      start = end + 1
    }
    return strings
  }
}

extension DataLayout {
  /// Reads the data of the linked image in `bytes`; of a universal file, the data of the slice for `architecture`.
  ///
  /// - Returns: `nil` for a file that is no image.
  /// - Throws: the error in its headers or its symbol table. If its relocations are damaged, there are no relocated
  ///   words.
  /// - Complexity: O(*n* log *n*) for *n* symbols and relocated words.
  package init?(of bytes: FileBytes, architecture: Architecture? = nil) throws(ParseError) {
    var file = try ObjectFile(parsing: bytes)
    if case .fat(let fat) = file {
      guard let slice = try? SliceChoice(architecture).choose(from: fat, at: "") else { return nil }
      file = .machO(slice)
    }
    switch file {
    case .elf(let file): self = try file.dataLayout()
    case .machO(let file): self = try file.dataLayout()
    case .fat, .archive: return nil
    }
  }
}
