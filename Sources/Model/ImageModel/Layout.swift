import Addresses

/// One output section of a linked image.
package struct Section: Hashable, Sendable {
  /// The name in the format's notation: `.text`, `__TEXT,__text`.
  package var name: SymbolName
  package var range: AddressRange
  /// Whether the section contains code.
  package var isExecutable: Bool

  package init(name: SymbolName, range: AddressRange, isExecutable: Bool) {
    self.name = name
    self.range = range
    self.isExecutable = isExecutable
  }
}

extension Section {
  /// Whether it is a procedure linkage table: `.plt`, `.plt.got`, `.plt.sec`, `.iplt`.
  package var isLinkageTable: Bool {
    isExecutable && (name.bytes.starts(with: Array(".plt".utf8)) || name == ".iplt")
  }
}

/// A name of a piece of code. Two names at the same address are two functions here, called aliases.
package struct PlacedSymbol: Hashable, Sendable {
  /// A reference into the layout's `names`; empty for an unnamed function (`isUnnamed`).
  package var name: NameReference
  package var address: StatedAddress
  /// The size in bytes, at least 1; `nil` if unknown, as for hand-written assembly.
  package var size: UInt64?
  /// The section of the function, as an index into the layout's `sections`.
  package var section: UInt32
  /// The input section that the function came from, `.text.unlikely.f`; only link maps of ELF linkers state it.
  package var inputSection: NameReference?
  /// The object file that the linker took the function from, as an ld64 order file names it: `leaf.o`,
  /// `libx.a(leaf.o)`. Only link maps of Mach-O linkers state it.
  package var objectFile: NameReference?
  /// The object file that the compiler wrote the function to, as an ld64 order file names it. Only debug maps in Mach-O
  /// images with debug information state it. If `ld -r` packed several object files into one, the linker knows only the
  /// packed file. Then no line of an order file can use this name, but it distinguishes functions of the same name in
  /// any build.
  package var compiledObjectFile: NameReference?
  /// Whether it is invisible outside its object file, so that the name need not be unique.
  package var isLocal: Bool

  /// - Parameter size: 0 means unknown, as in the formats.
  package init(
    name: NameReference, address: StatedAddress, size: UInt64? = nil, section: UInt32,
    inputSection: NameReference? = nil, objectFile: NameReference? = nil,
    compiledObjectFile: NameReference? = nil, isLocal: Bool = false
  ) {
    self.name = name
    self.address = address
    self.size = size == 0 ? nil : size
    self.section = section
    self.inputSection = inputSection
    self.objectFile = objectFile
    self.compiledObjectFile = compiledObjectFile
    self.isLocal = isLocal
  }
}

extension PlacedSymbol {
  /// The size, or 0 if it is unknown: the bytes that can be counted.
  package var knownBytes: UInt64 { size ?? 0 }

  /// The known part of the body: at least the first byte.
  package var knownBody: AddressRange { AddressRange(start: address, size: size ?? 1) }
}

/// The sections and functions of an image, as the linker placed them.
///
/// `functions` ascend by address, then by size, then by name, bytewise; `sections` ascend by address. So the
/// same image always gives the same layout, whatever the order of its symbol table.
package struct Layout: Sendable {
  /// The format of the image.
  package let imageFormat: ImageFormat
  package let sections: [Section]
  package let functions: [PlacedSymbol]
  package let names: NameTable
  /// Symbols that the reader does not know as functions: symbols that the linker did not place, and data. They are in
  /// no particular order; a name may occur more than once, and may also be the name of a function.
  package let absentSymbols: [AbsentSymbol]

  /// Sorts the sections and functions that a reader found into the documented order.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions.
  package init(
    imageFormat: ImageFormat, sections: [Section], functions: [PlacedSymbol], names: NameTable,
    absentSymbols: [AbsentSymbol] = []
  ) {
    self.imageFormat = imageFormat
    self.names = names
    self.absentSymbols = absentSymbols
    let order = sections.indices.sorted { a, b in
      (sections[a].range.start, sections[a].range.size, a)
        < (sections[b].range.start, sections[b].range.size, b)
    }
    self.sections = order.map { sections[$0] }
    var newIndex = [UInt32](repeating: 0, count: sections.count)
    for (new, old) in order.enumerated() { newIndex[old] = UInt32(new) }
    var functions = functions
    for i in functions.indices { functions[i].section = newIndex[Int(functions[i].section)] }
    functions.sort { a, b in
      if a.address != b.address { return a.address < b.address }
      if a.size != b.size { return a.knownBytes < b.knownBytes }
      return names[a.name].lexicographicallyPrecedes(names[b.name])
    }
    self.functions = functions
  }

  /// Whether the layout states the input sections of functions, as only a link map of an ELF linker does.
  ///
  /// - Complexity: O(*n*) for *n* functions.
  package var hasInputSections: Bool { functions.contains { $0.inputSection != nil } }

  /// The name of `function`; empty for an unnamed function, for which `symbolName(of:)` returns `nil`.
  package func name(of function: PlacedSymbol) -> SymbolName { names.name(function.name) }
}

extension Layout {
  /// The indexes of all functions that begin at `address`, which are aliases. Empty if there are none.
  ///
  /// - Complexity: O(log *n*) for *n* functions.
  package func functions(at address: StatedAddress) -> Range<Int> {
    let first = functions.partitioningIndex { $0.address >= address }
    return first..<functions[first...].partitioningIndex { $0.address > address }
  }

  /// The indexes of the functions whose body contains `address`: all aliases at the nearest start at or below it. A
  /// function of unknown size extends to the next function in its section.
  ///
  /// - Returns: an empty range in a gap between functions, and outside all sections.
  /// - Complexity: O(log *n*).
  package func functions(containing address: StatedAddress) -> Range<Int> {
    let above = functions.partitioningIndex { $0.address > address }
    guard above > 0 else { return 0..<0 }
    let aliases = functions(at: functions[above - 1].address)
    if functions[above - 1].address == address { return aliases }
    // The widest alias, which is the last one, decides whether the body contains the address.
    let widest = functions[aliases.upperBound - 1]
    guard sections[Int(widest.section)].range.contains(address) else { return 0..<0 }
    guard let size = widest.size else { return aliases }
    return address.rawValue - widest.address.rawValue < size ? aliases : 0..<0
  }

  /// The index of the section that contains `address`; if sections overlap, which no linker produces, the section that
  /// begins last.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  package func section(containing address: StatedAddress) -> Int? {
    let next = sections.partitioningIndex { $0.range.start > address }
    return next > 0 && sections[next - 1].range.contains(address) ? next - 1 : nil
  }

  /// Returns the number of bodies that have a function in `indexes` and one in `others`. Functions at one address have
  /// one body.
  ///
  /// - Complexity: O(*n*) on average for *n* indexes in both.
  package func bodyCount(of indexes: [Int], in others: [[Int]]) -> Int {
    var bodies = Set(indexes.lazy.map { functions[$0].address })
    let all = bodies.count
    for index in others.joined() { bodies.remove(functions[index].address) }
    return all - bodies.count
  }
}
