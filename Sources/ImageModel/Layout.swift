import Addresses

/// One output section of a linked image.
package struct Section: Hashable, Sendable {
  /// As the format writes it: `.text`, `__TEXT,__text`.
  package var name: SymbolName
  package var range: AddressRange
  /// Holds code.
  package var isExecutable: Bool

  package init(name: SymbolName, range: AddressRange, isExecutable: Bool) {
    self.name = name
    self.range = range
    self.isExecutable = isExecutable
  }
}

extension Section {
  /// A procedure linkage table: `.plt`, `.plt.got`, `.plt.sec`, `.iplt`.
  package var isLinkageTable: Bool {
    isExecutable && (name.bytes.starts(with: Array(".plt".utf8)) || name == ".iplt")
  }
}

/// One name of one piece of code. Two names at an address are two functions here: aliases.
package struct Function: Hashable, Sendable {
  /// In the layout's `names`; of an unnamed function none that says anything (`isUnnamed`).
  package var name: NameReference
  package var address: StatedAddress
  /// In bytes, more than none; `nil` where it is unknown, as for hand-written assembly.
  package var size: UInt64?
  /// Index into the layout's `sections`.
  package var section: UInt32
  /// The input section it came from, `.text.unlikely.f`; only a link map of an ELF linker tells.
  package var inputSection: NameReference?
  /// The object file it came from, as an order file of ld64 names it: `leaf.o`, `libx.a(leaf.o)`; only
  /// a link map of a Mach-O linker tells, and the debug map in an image with debug information.
  package var objectFile: NameReference?
  /// Not visible outside its object file: the name need not be unique.
  package var isLocal: Bool

  /// - Parameter size: 0, too, is unknown, as formats state it.
  package init(
    name: NameReference, address: StatedAddress, size: UInt64? = nil, section: UInt32,
    inputSection: NameReference? = nil, objectFile: NameReference? = nil, isLocal: Bool = false
  ) {
    self.name = name
    self.address = address
    self.size = size == 0 ? nil : size
    self.section = section
    self.inputSection = inputSection
    self.objectFile = objectFile
    self.isLocal = isLocal
  }
}

extension Function {
  /// Its size, or none if that is unknown: what can be counted of it.
  package var knownBytes: UInt64 { size ?? 0 }

  /// What is known of its body: at least the first byte.
  package var knownBody: AddressRange { AddressRange(start: address, size: size ?? 1) }
}

/// Where a linker put the sections and functions of one image.
///
/// `functions` ascend by address, then by size, then by name, bytewise; `sections` ascend by address.
/// So the same image always gives the same layout, whatever the order of its symbol table.
package struct Layout: Sendable {
  /// Of the image that it is the layout of.
  package let imageFormat: ImageFormat
  package let sections: [Section]
  package let functions: [Function]
  package let names: NameTable
  /// What the linker did not lay out, as far as the reader could tell; in no particular order, and a name may
  /// be here more than once, or be a function's too.
  package let absentSymbols: [AbsentSymbol]

  /// Sorts what a reader found into the order that the type promises.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions.
  package init(
    imageFormat: ImageFormat, sections: [Section], functions: [Function], names: NameTable,
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

  /// Empty of an unnamed function; `symbolName(of:)` tells these apart.
  package func name(of function: Function) -> SymbolName { names.name(function.name) }
}

extension Layout {
  /// The indexes of all functions that begin at `address`: the aliases. Empty if none does.
  ///
  /// - Complexity: O(log *n*) for *n* functions.
  package func functions(at address: StatedAddress) -> Range<Int> {
    let first = functions.partitioningIndex { $0.address >= address }
    return first..<functions[first...].partitioningIndex { $0.address > address }
  }

  /// The indexes of the functions whose body holds `address`: all aliases of the nearest start at or
  /// below it. A function of unknown size reaches up to the next one in its section.
  ///
  /// - Returns: an empty range in a gap between functions and outside all sections.
  /// - Complexity: O(log *n*).
  package func functions(containing address: StatedAddress) -> Range<Int> {
    let above = functions.partitioningIndex { $0.address > address }
    guard above > 0 else { return 0..<0 }
    let aliases = functions(at: functions[above - 1].address)
    if functions[above - 1].address == address { return aliases }
    // The widest alias decides; the last one has the greatest size.
    let widest = functions[aliases.upperBound - 1]
    guard sections[Int(widest.section)].range.contains(address) else { return 0..<0 }
    guard let size = widest.size else { return aliases }
    return address.rawValue - widest.address.rawValue < size ? aliases : 0..<0
  }

  /// The index of the section that holds `address`; of sections that overlap, which no linker makes, the last
  /// to begin.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  package func section(containing address: StatedAddress) -> Int? {
    let next = sections.partitioningIndex { $0.range.start > address }
    return next > 0 && sections[next - 1].range.contains(address) ? next - 1 : nil
  }
}
