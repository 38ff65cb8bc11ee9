import Addresses
import ByteReading
import CTraceFormat

/// A payload: which functions of each image ran in one launch on a device. `orderfile_payload_format.h` describes each
/// field.
package struct FieldPayload: Equatable, Sendable {
  /// A function that ran.
  package struct Function: Equatable, Sendable {
    /// The number of the function's guard among the guards of its image.
    package var guardIndex: Int
    /// The quarter of the launch in which the function ran first, from 0 to 3.
    package var quarter: UInt8

    package init(guardIndex: Int, quarter: UInt8) {
      self.guardIndex = guardIndex
      self.quarter = quarter
    }
  }

  /// The functions of one image.
  package struct Table: Equatable, Sendable {
    /// The kind of the image's ID, as in a trace, and the ID.
    package var idKind: UInt8
    package var id: [UInt8]
    /// The hash of the stated addresses of all functions with guards, as `hash(ofEntries:)` returns it.
    package var hash: UInt64
    package var guardCount: Int
    package var isProgram: Bool
    /// The functions that ran, ascending by guard.
    package var functions: [Function]

    package init(
      idKind: UInt8, id: [UInt8], hash: UInt64, guardCount: Int, isProgram: Bool,
      functions: [Function]
    ) {
      self.idKind = idKind
      self.id = id
      self.hash = hash
      self.guardCount = guardCount
      self.isProgram = isProgram
      self.functions = functions
    }
  }

  /// ELF's `e_machine`, also for Mach-O.
  package var machine: UInt32
  package var end: TraceHeader.State
  /// The binary logarithm of the device's memory in bytes, rounded down; `nil` if unknown.
  package var memoryClass: UInt8?
  /// The random number that the device kept for one day; `nil` if it had none.
  package var token: UInt64?
  /// The number of images that had no room in the payload, or no table of functions.
  package var omittedTables: Int
  package var tables: [Table]

  package init(
    machine: UInt32, end: TraceHeader.State, memoryClass: UInt8?, token: UInt64?,
    omittedTables: Int = 0, tables: [Table]
  ) {
    self.machine = machine
    self.end = end
    self.memoryClass = memoryClass
    self.token = token
    self.omittedTables = omittedTables
    self.tables = tables
  }
}

extension FieldPayload {
  /// The size of the part before the tables, in bytes.
  static let headerSize = UInt64(MemoryLayout<orderfile_field_payload>.size)
  private static let checksumOffset = 28

  /// Whether a payload starts at `index`, of any version.
  package static func begins(_ bytes: FileBytes, at index: Int = 0) -> Bool {
    // The first byte of the magic number is no ASCII character, so it can't be part of a StaticString.
    index < bytes.count && bytes[index] == 0x89 && bytes.hasPrefix("OFFIELD", at: index + 1)
  }

  /// Reads the payload at the position of `input`, and moves the position to the byte after the payload.
  ///
  /// - Throws: `truncated` if the payload ends early; `unsupported` for another version; `invalid` if the checksum or the
  ///   tables are wrong. After an error, the position of `input` has no meaning.
  /// - Complexity: O(*b*) for *b* bytes. A payload has at most 64 KiB, and at most 3 functions a byte.
  package init(parsing input: inout ByteCursor) throws(ParseError) {
    let start = input.position
    guard Self.begins(input.bytes, at: Int(start.rawValue)) else {
      throw ParseError(
        .invalid(expected: "a payload", found: "other bytes"), "payload.magic", at: start)
    }
    try input.skip(8, "payload.magic")
    let version = try input.read(UInt16.self, "payload.version")
    guard version == ORDERFILE_FIELD_VERSION else {
      throw ParseError(.unsupported(found: "\(version)"), "payload.version", at: start)
    }
    let tableCount = try input.read(UInt16.self, "payload.table_count")
    omittedTables = Int(try input.read(UInt16.self, "payload.omitted_tables"))
    end = TraceHeader.State(rawValue: UInt32(try input.read(UInt8.self, "payload.end")))
    let memory = try input.read(UInt8.self, "payload.memory_class")
    memoryClass = memory == 0 ? nil : memory
    let size = UInt64(try input.read(UInt32.self, "payload.size"))
    machine = try input.read(UInt32.self, "payload.machine")
    _ = try input.read(UInt32.self, "payload.reserved")
    let checksum = try input.read(UInt32.self, "payload.checksum")
    let token = try input.read(UInt64.self, "payload.token")
    self.token = token == 0 ? nil : token
    guard (Self.headerSize...UInt64(ORDERFILE_FIELD_LARGEST_SIZE)).contains(size) else {
      throw ParseError(
        .invalid(
          expected: "\(Self.headerSize) to \(ORDERFILE_FIELD_LARGEST_SIZE)", found: "\(size)"),
        "payload.size", at: start)
    }
    let content = try input.readRange(size - Self.headerSize, "payload")
    let found = Self.checksum(of: input.bytes, start..<content.upperBound)
    guard found == checksum else {
      throw ParseError(
        .invalid(expected: "\(checksum)", found: "\(found)"), "payload.checksum", at: start)
    }
    var rest = ByteCursor(input.bytes, in: content)
    tables = []
    for _ in 0..<tableCount { tables.append(try Table(parsing: &rest)) }
    guard rest.isAtEnd else {
      throw ParseError(
        .invalid(expected: "no more bytes", found: "\(rest.remaining)"), "payload.tables",
        at: rest.position)
    }
  }

  private static func checksum(of bytes: FileBytes, _ range: ByteRange) -> UInt32 {
    var hash = FNV1a()
    let indices = range.indices
    let zeros = indices.lowerBound + checksumOffset..<indices.lowerBound + checksumOffset + 4
    for index in indices { hash.add(zeros.contains(index) ? 0 : bytes[index]) }
    return UInt32(truncatingIfNeeded: hash.value)
  }

  /// Returns the hash of an image's table of functions: the stated address of each function with a guard, in the order of the
  /// guards.
  package static func hash(ofEntries entries: some Sequence<StatedAddress>) -> UInt64 {
    var hash = FNV1a()
    for entry in entries {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        hash.add(UInt8(truncatingIfNeeded: entry.rawValue >> shift))
      }
    }
    return hash.value
  }
}

extension FieldPayload.Table {
  fileprivate init(parsing input: inout ByteCursor) throws(ParseError) {
    let start = input.position
    hash = try input.read(UInt64.self, "table.hash")
    guardCount = Int(try input.read(UInt32.self, "table.guards"))
    let count = Int(try input.read(UInt32.self, "table.functions"))
    let codeSize = try input.read(UInt16.self, "table.code_size")
    idKind = try input.read(UInt8.self, "table.id_kind")
    let idSize = try input.read(UInt8.self, "table.id_size")
    let parameter = try input.read(UInt8.self, "table.parameter")
    isProgram = try input.read(UInt8.self, "table.flags") & UInt8(ORDERFILE_FIELD_PROGRAM) != 0
    _ = try input.read(UInt16.self, "table.reserved")
    id = input.bytes.copy(try input.readRange(UInt64(idSize), "table.id").indices)
    let code = try input.readRange(UInt64(codeSize), "table.code")
    guard parameter <= ORDERFILE_FIELD_LARGEST_PARAMETER, count > 0, count <= guardCount else {
      throw ParseError(
        .invalid(
          expected: "1 to \(guardCount) functions, and a parameter of at most 15",
          found: "\(count) functions, and the parameter \(parameter)"), "table", at: start)
    }
    var bits = BitReader(input.bytes, code)
    functions = []
    var next = 0
    for _ in 0..<count {
      guard let gap = bits.readRice(parameter: parameter), let quarter = bits.read(2),
        gap < guardCount - next
      else {
        throw ParseError(
          .invalid(
            expected: "\(count) functions of \(guardCount)", found: "\(functions.count)"),
          "table.code", at: code.lowerBound)
      }
      functions.append(.init(guardIndex: next + gap, quarter: UInt8(quarter)))
      next += gap + 1
    }
    guard bits.restIsPadding else {
      throw ParseError(
        .invalid(expected: "at most 7 zero bits at the end", found: "other bits"), "table.code",
        at: code.lowerBound)
    }
  }
}

/// Reads bits, the highest bit of a byte first.
private struct BitReader {
  private let bytes: FileBytes
  private let start: Int
  private let end: Int
  private var place = 0

  init(_ bytes: FileBytes, _ range: ByteRange) {
    self.bytes = bytes
    start = range.indices.lowerBound
    end = range.byteCount * 8
  }

  /// Returns the number in the next `count` bits; `nil` if there are fewer.
  mutating func read(_ count: Int) -> Int? {
    guard end - place >= count else { return nil }
    var value = 0
    for _ in 0..<count {
      let byte = bytes[start + place / 8]
      value = value << 1 | Int(byte >> (7 - UInt8(place % 8)) & 1)
      place += 1
    }
    return value
  }

  /// Returns the number in the next Rice code; `nil` if the bits end within this code.
  mutating func readRice(parameter: UInt8) -> Int? {
    var quotient = 0
    while let bit = read(1) {
      if bit == 1 { return read(Int(parameter)).map { quotient << Int(parameter) | $0 } }
      quotient += 1
    }
    return nil
  }

  /// Whether fewer than 8 bits remain, and all are 0.
  var restIsPadding: Bool {
    var copy = self
    return end - place < 8 && copy.read(end - place) == 0
  }
}
