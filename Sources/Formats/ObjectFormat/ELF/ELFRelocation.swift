import Addresses
import ByteReading

/// A dynamic relocation: what the loader writes at an address.
/// <https://gabi.xinuos.com/elf/06-reloc.html>
package struct ELFRelocation: Sendable {
  /// `r_offset`.
  package var address: StatedAddress
  /// The symbol, as an index into the dynamic symbol table; 0 for none.
  package var symbol: UInt32
  package var type: ELFRelocationType
  /// `r_addend`; `nil` in a `SHT_REL` table, where the addend is stored at the address.
  package var addend: Int64?

  init(address: StatedAddress, info: UInt64, is64Bit: Bool, addend: Int64?) {
    self.address = address
    symbol = UInt32(truncatingIfNeeded: is64Bit ? info >> 32 : info >> 8)
    type = ELFRelocationType(
      rawValue: is64Bit ? UInt32(truncatingIfNeeded: info) : UInt32(info & 0xff))
    self.addend = addend
  }

  /// Parses one `Elf32_Rel`, `Elf32_Rela`, `Elf64_Rel` or `Elf64_Rela`.
  init(parsing input: inout ByteCursor, is64Bit: Bool, hasAddend: Bool) throws(ParseError) {
    let address = StatedAddress(
      rawValue: try input.readWord(is64Bit: is64Bit, "r_offset"))
    let info = try input.readWord(is64Bit: is64Bit, "r_info")
    var addend: Int64?
    if hasAddend {
      let word = try input.readWord(is64Bit: is64Bit, "r_addend")
      addend =
        is64Bit ? Int64(bitPattern: word) : Int64(Int32(truncatingIfNeeded: word))
    }
    self.init(address: address, info: info, is64Bit: is64Bit, addend: addend)
  }
}

/// The part of `r_info` that states what to compute. Its meaning depends on the machine.
package struct ELFRelocationType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension ELFMachine {
  /// The type `R_*_RELATIVE`, whose value is the load bias + addend; `nil` for an unknown machine.
  var relative: ELFRelocationType? {
    switch self {
    case .x8664, .i386: ELFRelocationType(rawValue: 8)
    case .aarch64: ELFRelocationType(rawValue: 1027)
    case .arm: ELFRelocationType(rawValue: 23)
    case .riscv: ELFRelocationType(rawValue: 3)
    default: nil
    }
  }

  /// The type `R_*_IRELATIVE`, whose value is the result of the resolver at load bias + addend; `nil` for an unknown
  /// machine.
  package var indirectRelative: ELFRelocationType? {
    switch self {
    case .x8664: ELFRelocationType(rawValue: 37)
    case .i386: ELFRelocationType(rawValue: 42)
    case .aarch64: ELFRelocationType(rawValue: 1032)
    case .arm: ELFRelocationType(rawValue: 160)
    case .riscv: ELFRelocationType(rawValue: 58)
    default: nil
    }
  }

  /// Returns the type whose value is the symbol's address + addend, pointer-sized: `R_X86_64_64`, `R_AARCH64_ABS64`.
  func absolute(is64Bit: Bool) -> ELFRelocationType? {
    switch self {
    case .x8664, .i386: ELFRelocationType(rawValue: 1)
    case .aarch64: ELFRelocationType(rawValue: 257)
    case .arm: ELFRelocationType(rawValue: 2)
    case .riscv: ELFRelocationType(rawValue: is64Bit ? 2 : 1)
    default: nil
    }
  }
}

extension ELFMachine {
  /// The type `R_*_JUMP_SLOT`, whose value is the symbol's address for an entry of the linkage table; `nil` for an
  /// unknown machine.
  var jumpSlot: ELFRelocationType? {
    switch self {
    case .x8664, .i386: ELFRelocationType(rawValue: 7)
    case .aarch64: ELFRelocationType(rawValue: 1026)
    case .arm: ELFRelocationType(rawValue: 22)
    case .riscv: ELFRelocationType(rawValue: 5)
    default: nil
    }
  }
}

extension ELFFile {
  /// Returns the functions of this image that its own linkage table calls, unless another image
  /// replaces them.
  ///
  /// - Throws: the error in a relocation table or in the dynamic symbol table.
  /// - Complexity: O(*n*) for *n* relocations.
  package func jumpSlotTargets() throws(ParseError) -> [StatedAddress] {
    guard let symbols = try dynamicSymbolTable() else { return [] }
    var targets: [StatedAddress] = []
    let everywhere = AddressRange(start: StatedAddress(rawValue: 0), size: .max)
    try forEachDynamicRelocation(in: everywhere) { relocation in
      guard relocation.type == header.machine.jumpSlot, Int(relocation.symbol) < symbols.count
      else { return }
      let symbol = symbols[Int(relocation.symbol)]
      if symbol.sectionIndex.isInSection { targets.append(symbol.value) }
    }
    return targets
  }

  /// Calls `body` with each dynamic relocation of a word in `range`, in the order of the tables.
  ///
  /// `SHT_RELR` tables are left out: they contain only addresses, and the stated addresses are already stored at these
  /// addresses.
  ///
  /// - Throws: the error in a table; `tooLarge` for packed tables of more relocations than the file has bytes.
  /// - Complexity: O(*n*) for *n* relocations.
  package func forEachDynamicRelocation(
    in range: AddressRange, _ body: (ELFRelocation) -> Void
  ) throws(ParseError) {
    var budget = ByteBudget(limit: UInt64(bytes.count))
    for table in try relocationTables() {
      switch table.encoding {
      case .entries(let hasAddend):
        try forEachEntry(of: table.range, hasAddend: hasAddend, in: range, body)
      case .packed(let hasAddend):
        var packed = PackedRelocations(in: table.range, of: self, hasAddend: hasAddend)
        try packed.forEach(&budget) { if range.contains($0.address) { body($0) } }
      case .bitmaps: continue
      }
    }
  }

  private func forEachEntry(
    of table: ByteRange, hasAddend: Bool, in range: AddressRange, _ body: (ELFRelocation) -> Void
  ) throws(ParseError) {
    let size = Int(relocationSize(hasAddend: hasAddend))
    let table = table.indices
    for index in 0..<table.count / size {
      let at = table.lowerBound + index * size
      guard range.contains(StatedAddress(rawValue: loadWord(at: at))) else { continue }
      let start = FileOffset(rawValue: UInt64(at))
      var input = ByteCursor(
        bytes, in: start..<FileOffset(rawValue: UInt64(at + size)), endianness: header.endianness)
      body(try ELFRelocation(parsing: &input, is64Bit: header.is64Bit, hasAddend: hasAddend))
    }
  }

  /// Returns the pointer-sized integer at `index`, which the caller has checked against the file's size.
  func loadWord(at index: Int) -> UInt64 {
    let isLittle = header.endianness == .little
    if header.is64Bit {
      let raw = bytes.loadUnaligned(UInt64.self, at: index)
      return isLittle ? UInt64(littleEndian: raw) : UInt64(bigEndian: raw)
    }
    let raw = bytes.loadUnaligned(UInt32.self, at: index)
    return UInt64(isLittle ? UInt32(littleEndian: raw) : UInt32(bigEndian: raw))
  }
}
