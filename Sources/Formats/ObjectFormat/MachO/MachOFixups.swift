// What the loader writes into an image: addresses to which it adds the slide (rebases), and addresses of symbols in
// other images (binds). An image has one of two notations.
//
// LC_DYLD_CHAINED_FIXUPS: the words themselves form lists; `ChainedFixups.swift` describes them. For each segment there
// is the start of a list in each of its pages. A bind has the number of an import: a library and a name.
//
// LC_DYLD_INFO: five programs for a small machine, whose registers are a segment, an offset in it, a library and a
// name. An instruction is a byte: the upper half is the operation, the lower half is an operand; ULEB128 numbers and
// names follow. Libraries count from 1; 0 is the image itself, and negative numbers search all images.
//
// <https://github.com/apple-oss-distributions/dyld/blob/main/include/mach-o/fixup-chains.h>; mach-o/loader.h,
// `dyld_info_command`, REBASE_OPCODE_ and BIND_OPCODE_

import Addresses
import ByteReading

/// A word that the loader writes.
package struct MachOFixup: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case rebase
    case bind
    /// The word gets the address of a symbol that is looked up in all images, because it may be defined several times.
    case weakBind
    /// The word gets the address of a symbol that is looked up when the function is first called, or at once if the
    /// loader chooses so.
    case lazyBind
  }

  package var kind: Kind
  package var address: StatedAddress
  /// For a bind, the library's number from 1; 0 and negative numbers are not libraries.
  package var library: Int
  /// For a bind, the range of the symbol's name; `nil` if it can't be read.
  package var symbol: ByteRange?
}

extension LoadCommandKind {
  static let dyldInfo = Self(rawValue: 0x22)  // LC_DYLD_INFO
  static let dyldInfoOnly = Self(rawValue: 0x8000_0022)  // LC_DYLD_INFO_ONLY
}

extension MachOFile {
  /// Calls `body` with each word that the loader writes.
  ///
  /// - Throws: `truncated` and `invalid` for damaged data; `unsupported` for lists that dyld information starts
  ///   (arm64e before chained fixups), and for formats of 32-bit images and kernels; `tooLarge` for more words than
  ///   the file has room for.
  /// - Complexity: O(*n*) for *n* words and bytes of their description.
  package func forEachFixup(_ body: (MachOFixup) -> Void) throws(ParseError) {
    // Words do not overlap, so there are at most as many as the file has room for.
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    if let command = command(.chainedFixups) {
      try forEachChainedFixup(command, &budget, body)
    }
    guard let command = command(.dyldInfoOnly) ?? command(.dyldInfo) else { return }
    var input = command.contents(bytes)
    for kind in [MachOFixup.Kind.rebase, .bind, .weakBind, .lazyBind] {
      let offset = UInt64(try input.read(UInt32.self, "rebase_off"))
      let size = UInt64(try input.read(UInt32.self, "rebase_size"))
      let program = try range(offset: offset, size: size, "rebase_size")
      var machine = FixupMachine(file: self, kind: kind, program: program)
      try machine.run(&budget, body)
    }
  }
}

/// The machine that executes the opcodes of dyld information, with its registers.
private struct FixupMachine {
  let file: MachOFile
  let kind: MachOFixup.Kind
  private var input: ByteCursor
  private var base = StatedAddress(rawValue: 0)
  private var distance: UInt64 = 0
  private var library = 0
  private var symbol: ByteRange?

  init(file: MachOFile, kind: MachOFixup.Kind, program: ByteRange) {
    self.file = file
    self.kind = kind
    input = ByteCursor(file.bytes, in: program)
  }

  mutating func run(
    _ budget: inout ByteBudget, _ body: (MachOFixup) -> Void
  ) throws(ParseError) {
    while !input.isAtEnd {
      let place = input.position
      let opcode = try input.read(UInt8.self, "opcode")
      let isDone =
        kind == .rebase
        ? try rebase(opcode & 0xf0, UInt64(opcode & 0x0f), place, &budget, body)
        : try bind(opcode & 0xf0, UInt64(opcode & 0x0f), place, &budget, body)
      if isDone { return }
    }
  }

  private mutating func rebase(
    _ opcode: UInt8, _ operand: UInt64, _ place: FileOffset, _ budget: inout ByteBudget,
    _ body: (MachOFixup) -> Void
  ) throws(ParseError) -> Bool {
    switch opcode {
    case 0x00: return true  // DONE
    case 0x10: break  // SET_TYPE_IMM
    case 0x20: try setSegment(operand, place)
    case 0x30: distance = distance &+ (try number())
    case 0x40: distance = distance &+ operand * 8
    case 0x50: try fix(operand, skipping: 0, place, &budget, body)
    case 0x60: try fix(try number(), skipping: 0, place, &budget, body)
    case 0x70: try fix(1, skipping: try number(), place, &budget, body)
    case 0x80:
      let count = try number()
      try fix(count, skipping: try number(), place, &budget, body)
    default: throw unknown(opcode, place)
    }
    return false
  }

  private mutating func bind(
    _ opcode: UInt8, _ operand: UInt64, _ place: FileOffset, _ budget: inout ByteBudget,
    _ body: (MachOFixup) -> Void
  ) throws(ParseError) -> Bool {
    switch opcode {
    case 0x00: return kind != .lazyBind  // DONE; each lazy bind ends with one
    case 0x10: library = Int(operand)
    case 0x20: library = Int(clamping: try number())
    // SET_DYLIB_SPECIAL_IMM, whose operand is signed.
    case 0x30: library = operand == 0 ? 0 : Int(operand) - 16
    case 0x40: symbol = try input.readZeroTerminated("symbol")
    case 0x50: break  // SET_TYPE_IMM
    case 0x60: _ = try skipSigned()
    case 0x70: try setSegment(operand, place)
    case 0x80: distance = distance &+ (try number())
    case 0x90: try fix(1, skipping: 0, place, &budget, body)
    case 0xa0: try fix(1, skipping: try number(), place, &budget, body)
    case 0xb0: try fix(1, skipping: operand * 8, place, &budget, body)
    case 0xc0:
      let count = try number()
      try fix(count, skipping: try number(), place, &budget, body)
    case 0xd0:
      throw ParseError(.unsupported(found: "lists in dyld information"), "opcode", at: place)
    default: throw unknown(opcode, place)
    }
    return false
  }

  private mutating func number() throws(ParseError) -> UInt64 { try input.readULEB128("uleb128") }

  private mutating func skipSigned() throws(ParseError) {
    while try input.read(UInt8.self, "sleb128") & 0x80 != 0 {}
  }

  private mutating func setSegment(
    _ index: UInt64, _ place: FileOffset
  ) throws(ParseError) {
    guard Int(index) < file.segments.count else {
      throw ParseError(
        .invalid(expected: "a segment below \(file.segments.count)", found: "\(index)"), "opcode",
        at: place)
    }
    base = file.segments[Int(index)].range.start
    distance = try number()
  }

  private mutating func fix(
    _ count: UInt64, skipping gap: UInt64, _ place: FileOffset, _ budget: inout ByteBudget,
    _ body: (MachOFixup) -> Void
  ) throws(ParseError) {
    try budget.take(Int(clamping: count), "fixups", at: place)
    for _ in 0..<count {
      let address = StatedAddress(rawValue: base.rawValue &+ distance)
      body(MachOFixup(kind: kind, address: address, library: library, symbol: symbol))
      distance = distance &+ 8 &+ gap
    }
  }

  private func unknown(_ opcode: UInt8, _ place: FileOffset) -> ParseError {
    ParseError(
      .invalid(expected: "an opcode", found: hexadecimal(UInt64(opcode))), "opcode", at: place)
  }
}

// MARK: Chained fixups

extension MachOFile {
  private func forEachChainedFixup(
    _ command: LoadCommand, _ budget: inout ByteBudget, _ body: (MachOFixup) -> Void
  ) throws(ParseError) {
    let formats = try chainedPointerFormats()
    let data = try linkEditData(command)
    let imports = try ChainedImports(in: data, of: self)
    var header = ByteCursor(bytes, in: data)
    try header.skip(4, "fixups_version")
    let startsOffset = UInt64(try header.read(UInt32.self, "starts_offset"))
    var image = ByteCursor(bytes, in: data)
    try image.skip(startsOffset, "starts_offset")
    for (index, format) in formats.enumerated() {
      guard let format else { continue }
      guard let step = format.step else {
        throw ParseError(
          .unsupported(found: "\(format.rawValue)"), "pointer_format", at: data.lowerBound)
      }
      var offsets = image
      try offsets.skip(4 + 4 * UInt64(index), "seg_info_offset")
      var segment = image
      try segment.skip(UInt64(try offsets.read(UInt32.self, "seg_info_offset")), "seg_info_offset")
      try segment.skip(4, "size")
      let pageSize = UInt64(try segment.read(UInt16.self, "page_size"))
      try segment.skip(14, "pointer_format")
      let pageCount = try segment.read(UInt16.self, "page_count")
      for page in 0..<UInt64(pageCount) {
        let start = try segment.read(UInt16.self, "page_start")
        guard start != 0xffff else { continue }  // DYLD_CHAINED_PTR_START_NONE
        guard start & 0x8000 == 0 else {
          throw ParseError(
            .unsupported(found: "several lists in a page"), "page_start", at: segment.position)
        }
        var distance = page * pageSize + UInt64(start)
        let field = segments[index]
        while true {
          guard let offset = field.offset.advanced(by: distance) else { break }
          let word = try range(offset: offset.rawValue, size: 8, "fixup")
          try budget.take(4, "fixups", at: word.lowerBound)
          let stored = UInt64(
            littleEndian: bytes.loadUnaligned(UInt64.self, at: word.indices.lowerBound))
          let address = StatedAddress(rawValue: field.range.start.rawValue &+ distance)
          body(format.fixup(stored, at: address, imports))
          let next = format.next(stored)
          guard next > 0 else { break }
          distance += next * step
        }
      }
    }
  }
}

/// The symbols that chained fixups refer to.
private struct ChainedImports {
  private let file: MachOFile
  private let table: ByteRange
  private let names: StringTable
  private let format: UInt32
  private let entrySize: Int
  let count: Int

  init(in data: ByteRange, of file: MachOFile) throws(ParseError) {
    self.file = file
    var header = ByteCursor(file.bytes, in: data)
    try header.skip(8, "starts_offset")
    let importsOffset = UInt64(try header.read(UInt32.self, "imports_offset"))
    let namesOffset = UInt64(try header.read(UInt32.self, "symbols_offset"))
    let count = UInt64(try header.read(UInt32.self, "imports_count"))
    format = try header.read(UInt32.self, "imports_format")
    let sizes: [UInt32: UInt64] = [1: 4, 2: 8, 3: 16]
    guard let size = sizes[format] else {
      throw ParseError(.unsupported(found: "\(format)"), "imports_format", at: data.lowerBound)
    }
    entrySize = Int(size)
    var input = ByteCursor(file.bytes, in: data)
    try input.skip(importsOffset, "imports_offset")
    table = try input.readRange(count * size, "imports_count")
    self.count = Int(count)
    input = ByteCursor(file.bytes, in: data)
    try input.skip(namesOffset, "symbols_offset")
    names = StringTable(file.bytes, input.position..<data.upperBound)
  }

  func symbol(_ index: UInt64) -> (library: Int, name: ByteRange?) {
    guard index < UInt64(count) else { return (0, nil) }
    let at = table.indices.lowerBound + Int(index) * entrySize
    if format == 3 {
      let word = UInt64(littleEndian: file.bytes.loadUnaligned(UInt64.self, at: at))
      return (
        Int(Int16(truncatingIfNeeded: word)), names.name(at: UInt32(truncatingIfNeeded: word >> 32))
      )
    }
    let word = UInt32(littleEndian: file.bytes.loadUnaligned(UInt32.self, at: at))
    return (Int(Int8(truncatingIfNeeded: word)), names.name(at: word >> 9))
  }
}

extension ChainedPointerFormat {
  /// The unit of the distance to the next word, in bytes; `nil` for formats that are not read.
  fileprivate var step: UInt64? {
    switch self {
    case .plain64, .plain64Offset, .arm64eKernel, .arm64eFirmware: 4
    case .arm64e, .arm64eUserland, .arm64eUserland24: 8
    default: nil
    }
  }

  private var isPlain: Bool { self == .plain64 || self == .plain64Offset }

  /// The distance to the next word in units of `step`; 0 for the last word.
  fileprivate func next(_ stored: UInt64) -> UInt64 {
    stored >> 51 & (isPlain ? 0xfff : 0x7ff)
  }

  fileprivate func fixup(
    _ stored: UInt64, at address: StatedAddress, _ imports: ChainedImports
  ) -> MachOFixup {
    let isBind = stored >> (isPlain ? 63 : 62) & 1 == 1
    guard isBind else { return MachOFixup(kind: .rebase, address: address, library: 0) }
    let bits: UInt64 = isPlain || self == .arm64eUserland24 ? 0xff_ffff : 0xffff
    let (library, name) = imports.symbol(stored & bits)
    // BIND_SPECIAL_DYLIB_WEAK_LOOKUP
    return MachOFixup(
      kind: library == -3 ? .weakBind : .bind, address: address, library: library, symbol: name)
  }
}
