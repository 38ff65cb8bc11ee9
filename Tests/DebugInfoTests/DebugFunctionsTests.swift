import Addresses
import ByteReading
import DebugInfo
import TestSupport
import Testing

/// Assembles `.debug_info` and `.debug_abbrev` of one compilation unit in DWARF 4 with 64-bit addresses.
struct DWARFWriter {
  var info = ByteWriter()
  var abbreviations = ByteWriter()
  private var abbreviationCount: UInt8 = 0

  init(producer: String = "clang") {
    info.write(UInt32(0))  // the field unit_length, which `sections()` fills in
    info.write(UInt16(4))
    info.write(UInt32(0))
    info.write([8])
    // DW_TAG_compile_unit with children, DW_AT_producer as DW_FORM_string
    define(tag: 0x11, hasChildren: true, [(0x25, 0x08)])
    info.write([1])
    info.writeZeroTerminated(producer)
  }

  /// - Returns: the code of a new abbreviation of `attributes`: name and form.
  @discardableResult
  mutating func define(
    tag: UInt8, hasChildren: Bool = false, _ attributes: [(UInt8, UInt8)]
  ) -> UInt8 {
    abbreviationCount += 1
    abbreviations.write([abbreviationCount, tag, hasChildren ? 1 : 0])
    for (name, form) in attributes {
      abbreviations.write(name < 0x80 ? [name, form] : [name, 1, form])
    }
    abbreviations.write([0, 0])
    return abbreviationCount
  }

  func sections() -> [DebugSection] {
    var info = info
    info.write([0])
    info.overwrite(at: 0, with: UInt32(info.count - 4))
    return Self.sections(info.bytes, abbreviations.bytes + [0])
  }

  static func sections(_ info: [UInt8], _ abbreviations: [UInt8]) -> [DebugSection] {
    [(".debug_info", info), (".debug_abbrev", abbreviations)].map { name, contents in
      let bytes = FileBytes(contents)
      return DebugSection(name: name, bytes: bytes, range: bytes.all)
    }
  }
}

@Suite struct DebugFunctionsTests {
  static func read(_ sections: [DebugSection]) throws -> DebugFunctions {
    try DebugFunctions(sections, is64Bit: true, endianness: .little)
  }

  static func lines(_ functions: DebugFunctions) -> [String] {
    functions.functions.map {
      "\($0.range.start) \($0.range.size) "
        + String(decoding: functions.names[$0.name], as: UTF8.self)
    }
  }

  static let subprogram: UInt8 = 0x2e
  static let name: (UInt8, UInt8) = (0x03, 0x08)  // DW_AT_name, DW_FORM_string
  static let linkageName: (UInt8, UInt8) = (0x6e, 0x08)
  static let low: (UInt8, UInt8) = (0x11, 0x01)  // DW_AT_low_pc, DW_FORM_addr
  static let highAddress: (UInt8, UInt8) = (0x12, 0x01)
  static let highSize: (UInt8, UInt8) = (0x12, 0x06)  // DW_AT_high_pc, DW_FORM_data4
  static let origin: (UInt8, UInt8) = (0x31, 0x13)  // DW_AT_abstract_origin, DW_FORM_ref4
  static let specification: (UInt8, UInt8) = (0x47, 0x13)
  static let external: (UInt8, UInt8) = (0x3f, 0x19)  // DW_AT_external, DW_FORM_flag_present
  static let sibling: (UInt8, UInt8) = (0x01, 0x13)

  @Test func theEndIsAnAddressOrASize() throws {
    var writer = DWARFWriter()
    let withAddress = writer.define(tag: Self.subprogram, [Self.name, Self.low, Self.highAddress])
    let withSize = writer.define(tag: Self.subprogram, [Self.name, Self.low, Self.highSize])
    let withNeither = writer.define(tag: Self.subprogram, [Self.name, Self.low])
    writer.info.write([withAddress])
    writer.info.writeZeroTerminated("a")
    writer.info.write(UInt64(0x1000))
    writer.info.write(UInt64(0x1010))
    writer.info.write([withSize])
    writer.info.writeZeroTerminated("b")
    writer.info.write(UInt64(0x2000))
    writer.info.write(UInt32(0x20))
    writer.info.write([withNeither])
    writer.info.writeZeroTerminated("c")
    writer.info.write(UInt64(0x3000))
    let functions = try Self.read(writer.sections())
    #expect(Self.lines(functions) == ["0x1000 16 a", "0x2000 32 b", "0x3000 0 c"])
    #expect(functions.damagedUnitCount == 0)
  }

  /// An out-of-line copy of a function refers to its origin, and the origin refers to a declaration that has the names.
  @Test func namesAreFoundThroughOriginAndSpecification() throws {
    var writer = DWARFWriter()
    let declaration = writer.define(tag: Self.subprogram, [Self.name, Self.linkageName])
    let abstract = writer.define(tag: Self.subprogram, [Self.specification])
    let copy = writer.define(tag: Self.subprogram, [Self.origin, Self.low])
    let declarationOffset = UInt32(writer.info.count)
    writer.info.write([declaration])
    writer.info.writeZeroTerminated("go")
    writer.info.writeZeroTerminated("_ZN1P2goEv")
    let abstractOffset = UInt32(writer.info.count)
    writer.info.write([abstract])
    writer.info.write(declarationOffset)
    writer.info.write([copy])
    writer.info.write(abstractOffset)
    writer.info.write(UInt64(0x1000))
    #expect(try Self.lines(Self.read(writer.sections())) == ["0x1000 0 _ZN1P2goEv"])
  }

  @Test func aRingOfOriginsHasNoName() throws {
    var writer = DWARFWriter()
    let code = writer.define(tag: Self.subprogram, [Self.origin, Self.low])
    let offset = UInt32(writer.info.count)
    writer.info.write([code])
    writer.info.write(offset)
    writer.info.write(UInt64(0x1000))
    let functions = try Self.read(writer.sections())
    #expect(functions.functions.isEmpty)
    #expect(functions.unnamedCount == 1)
  }

  /// A discarded function has no address, and the unit does not state how many pieces of code it has.
  @Test func unitsStateTheirCompiler() throws {
    var writer = DWARFWriter(producer: "GNU C17 12.2.0 -O2")
    let code = writer.define(tag: Self.subprogram, [Self.name, Self.low])
    for (index, address) in [UInt64(0x1000), 0x2000, 0, .max].enumerated() {
      writer.info.write([code])
      writer.info.writeZeroTerminated("f\(index)")
      writer.info.write(address)
    }
    let functions = try Self.read(writer.sections())
    #expect(functions.units == [DebugUnit(producer: 0, functions: 2, pieces: nil)])
    #expect(functions.producers == [Array("GNU C17 12.2.0 -O2".utf8)])
    let long = String(repeating: "x", count: ParsingLimits.debugProducer + 1)
    var other = DWARFWriter(producer: long)
    let label = other.define(tag: Self.subprogram, [Self.name, Self.low])
    other.info.write([label])
    other.info.writeZeroTerminated("f")
    other.info.write(UInt64(0x1000))
    let found = try Self.read(other.sections())
    #expect(found.units.map(\.producer) == [nil] && found.producers.isEmpty)
  }

  @Test(arguments: [
    ("GNU C++17 12.2.0", ["0x2000 0 shared"], 1),
    ("GNU C17 12.2.0", ["0x1000 0 own", "0x2000 0 shared"], 0),
    ("clang version 21", ["0x1000 0 own", "0x2000 0 shared"], 0),
  ])
  func onlyGNUCPlusPlusOmitsLinkageNames(
    producer: String, expected: [String], unnamedCount: Int
  ) throws {
    var writer = DWARFWriter(producer: producer)
    let own = writer.define(tag: Self.subprogram, [Self.name, Self.low])
    let shared = writer.define(tag: Self.subprogram, [Self.name, Self.external, Self.low])
    writer.info.write([own])
    writer.info.writeZeroTerminated("own")
    writer.info.write(UInt64(0x1000))
    writer.info.write([shared])
    writer.info.writeZeroTerminated("shared")
    writer.info.write(UInt64(0x2000))
    let functions = try Self.read(writer.sections())
    #expect(Self.lines(functions) == expected)
    #expect(functions.unnamedCount == unnamedCount)
  }

  /// `DW_AT_sibling` of the first function refers to the function itself, or to an entry before it.
  @Test(arguments: [0, 12]) func aSiblingThatLeadsBackCostsItsUnit(distance: UInt32) throws {
    var writer = DWARFWriter()
    let code = writer.define(tag: Self.subprogram, [Self.sibling, Self.name, Self.low])
    let offset = UInt32(writer.info.count)
    writer.info.write([code])
    writer.info.write(offset - distance)
    writer.info.writeZeroTerminated("a")
    writer.info.write(UInt64(0x1000))
    let functions = try Self.read(writer.sections())
    #expect(functions.functions.count <= 1)
    #expect(functions.damagedUnitCount == 1)
  }

  /// The piece with the entry is the first piece by the standard, the last piece in code of clang before 20, and the
  /// piece with the entry's address if DWARF states this address.
  @Test(
    arguments: [
      ("Debian clang version 19.1.7", nil, "0x2000 16 f"),
      ("clang version 21.0.0", nil, "0x1000 8 f"),
      ("GNU C17 12.2.0", nil, "0x1000 8 f"), ("Swift version 6.3", nil, "0x1000 8 f"),
      ("clang version 19.1.7", 0x1004, "0x1000 8 f"),
      ("clang version 21.0.0", 0x2000, "0x2000 16 f"),
      ("GNU C17 12.2.0", 0x3000, "0x1000 8 f"),
    ] as [(String, UInt64?, String)])
  func ofSeveralPiecesTheOneWithTheEntryCounts(
    producer: String, entry: UInt64?, expected: String
  ) throws {
    var writer = DWARFWriter(producer: producer)
    let pieces: (UInt8, UInt8) = (0x55, 0x17)  // DW_AT_ranges, DW_FORM_sec_offset
    let stated: [(UInt8, UInt8)] = entry == nil ? [] : [(0x52, 0x01)]  // DW_AT_entry_pc
    let code = writer.define(tag: Self.subprogram, [Self.name, pieces] + stated)
    writer.info.write([code])
    writer.info.writeZeroTerminated("f")
    writer.info.write(UInt32(0))
    if let entry { writer.info.write(entry) }
    var ranges = ByteWriter()
    for address in [0x1000, 0x1008, 0x2000, 0x2010, 0, 0] as [UInt64] { ranges.write(address) }
    let bytes = FileBytes(ranges.bytes)
    let section = DebugSection(name: ".debug_ranges", bytes: bytes, range: bytes.all)
    let functions = try Self.read(writer.sections() + [section])
    #expect(Self.lines(functions) == [expected])
    let other = functions.functions.first?.otherRange?.start
    #expect((other == nil) == (entry != nil))
  }

  @Test func functionsInsideTypesAndFunctionsAreFound() throws {
    var writer = DWARFWriter()
    let namespace = writer.define(tag: 0x39, hasChildren: true, [])
    let outer = writer.define(tag: Self.subprogram, hasChildren: true, [Self.name, Self.low])
    let block = writer.define(tag: 0x0b, hasChildren: true, [])
    let inner = writer.define(tag: Self.subprogram, [Self.name, Self.low])
    writer.info.write([namespace, outer])
    writer.info.writeZeroTerminated("outer")
    writer.info.write(UInt64(0x1000))
    writer.info.write([block, inner])
    writer.info.writeZeroTerminated("inner")
    writer.info.write(UInt64(0x2000))
    writer.info.write([0, 0, 0])
    #expect(
      try Self.lines(Self.read(writer.sections())) == ["0x1000 0 outer", "0x2000 0 inner"])
  }

  @Test func nestingBeyondBeliefCostsItsUnit() throws {
    var writer = DWARFWriter()
    let block = writer.define(tag: 0x0b, hasChildren: true, [])
    let leaf = writer.define(tag: 0x0b, [])
    // Each block has a sibling, to which the walk has to return.
    writer.info.write([UInt8](repeating: block, count: 2000))
    for _ in 0..<2000 { writer.info.write([0, leaf]) }
    let functions = try Self.read(writer.sections())
    #expect(functions.functions.isEmpty)
    #expect(functions.damagedUnitCount == 1)
  }

  @Test func withoutDebugInfoItIsMissing() throws {
    let error = #expect(throws: ParseError.self) { try Self.read([]) }
    #expect(error?.description == "missing .debug_info (at offset 0x0)")
  }

  @Test func whatIsNoDWARFGivesNoFunctions() throws {
    let functions = try? Self.read(DWARFWriter.sections([UInt8](0..<64), [UInt8](0..<64)))
    #expect(functions?.functions.isEmpty ?? true)
    #expect(functions?.damagedUnitCount ?? 1 == 1)
  }

  @Test func damagedDWARFNeverTraps() throws {
    var writer = DWARFWriter()
    let full = writer.define(
      tag: Self.subprogram, hasChildren: true, [Self.sibling, Self.name, Self.low, Self.highSize])
    let copy = writer.define(tag: Self.subprogram, [Self.origin, Self.low])
    for index in 0..<4 as Range<UInt32> {
      let offset = UInt32(writer.info.count)
      writer.info.write([full])
      writer.info.write(offset + 1 + 4 + 2 + 8 + 4 + 1 + 4 + 8 + 1)
      writer.info.writeZeroTerminated("f")
      writer.info.write(UInt64(0x1000) * UInt64(index + 1))
      writer.info.write(UInt32(0x10))
      writer.info.write([copy])
      writer.info.write(offset)
      writer.info.write(UInt64(0x1800))
      writer.info.write([0])
    }
    let sections = writer.sections()
    let info = sections[0].bytes.copy(sections[0].range.indices)
    let abbreviations = sections[1].bytes.copy(sections[1].range.indices)
    #expect(try Self.read(sections).functions.count == 8)
    for length in 0..<info.count {
      _ = try? Self.read(DWARFWriter.sections(Array(info[..<length]), abbreviations))
    }
    for length in 0..<abbreviations.count {
      _ = try? Self.read(DWARFWriter.sections(info, Array(abbreviations[..<length])))
    }
    for damaged in byteFlips(of: info, count: 700) {
      _ = try? Self.read(DWARFWriter.sections(damaged, abbreviations))
    }
    for damaged in byteFlips(of: abbreviations, count: 300) {
      _ = try? Self.read(DWARFWriter.sections(info, damaged))
    }
  }
}
