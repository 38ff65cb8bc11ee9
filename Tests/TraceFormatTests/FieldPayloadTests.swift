import ByteReading
import TestSupport
import Testing
import TraceFormat

@Suite struct FieldPayloadTests {
  private static let program = PayloadWriter.Table(
    hash: 0x1234_5678_9abc_def0, guards: 40, id: Array(0..<20),
    functions: [(0, 0), (1, 3), (7, 2), (39, 1)])
  private static let library = PayloadWriter.Table(
    hash: 2, guards: 1 << 20, idKind: 3, id: [1, 2, 3, 4, 5, 6, 7, 8], flags: 0,
    functions: [(1_000_000, 3)])

  private static func payloads(_ bytes: [UInt8]) -> [Result<FieldPayload, ParseError>] {
    Array(FieldPayloads(FileBytes(bytes)))
  }

  private static func payload(_ bytes: [UInt8]) throws -> FieldPayload {
    let all = payloads(bytes)
    try #require(all.count == 1)
    return try all[0].get()
  }

  /// Any parameter is allowed; a large gap with a small one makes a long code.
  @Test(arguments: [0, 1, 2, 7, 15]) func aPayloadIsReadAsItWasWritten(parameter: Int) throws {
    var (program, library) = (Self.program, Self.library)
    program.parameter = parameter
    library.parameter = max(parameter, 5)
    var writer = PayloadWriter([program, library])
    writer.omitted = 3
    let read = try Self.payload(writer.bytes)
    #expect(read.machine == 62 && read.end == .stoppedByMark && read.memoryClass == 32)
    #expect(read.token == 1 && read.omittedTables == 3 && read.tables.count == 2)
    for (read, written) in zip(read.tables, [program, library]) {
      #expect(read.functions.map(\.guardIndex) == written.functions.map(\.guardIndex))
      #expect(read.functions.map { Int($0.quarter) } == written.functions.map(\.quarter))
      #expect(read.guardCount == Int(written.guards) && read.hash == written.hash)
      #expect(read.id == written.id && read.idKind == written.idKind)
    }
    #expect(read.tables.map(\.isProgram) == [true, false])
  }

  @Test func zeroMeansUnknown() throws {
    var writer = PayloadWriter([Self.program])
    (writer.token, writer.memoryClass) = (0, 0)
    let read = try Self.payload(writer.bytes)
    #expect(read.token == nil && read.memoryClass == nil)
  }

  @Test func theHashIsOfTheStatedAddresses() {
    #expect(FieldPayload.hash(ofEntries: []) == 0xcbf2_9ce4_8422_2325)
    #expect(
      FieldPayload.hash(ofEntries: [.init(rawValue: 0x1020)])
        == PayloadWriter.fnv1a([0x20, 0x10, 0, 0, 0, 0, 0, 0]))
  }

  /// A payload of four functions, of which the last has the number 39.
  @Test(arguments: [UInt32(39), 3, 0]) func numbersThatContradictEachOtherAreRefused(guards: UInt32)
  {
    var writer = PayloadWriter([Self.program])
    writer.tables[0].guards = guards
    #expect(Self.payloads(writer.bytes).allSatisfy { (try? $0.get()) == nil })
  }

  @Test func anEmptyTableAndAWrongParameterAreRefused() {
    var writer = PayloadWriter([Self.program])
    writer.tables[0].functions = []
    #expect(throws: ParseError.self) { try Self.payload(writer.bytes) }
    writer = PayloadWriter([Self.program])
    writer.tables[0].parameter = 16
    #expect(throws: ParseError.self) { try Self.payload(writer.bytes) }
  }

  @Test func aLaterVersionIsUnsupportedAndAWrongChecksumIsInvalid() throws {
    var later = PayloadWriter([Self.program])
    later.version = 2
    var damaged = PayloadWriter([Self.program])
    damaged.checksum = 1
    let reasons = Self.payloads(later.bytes + damaged.bytes).map { payload in
      if case .failure(let error) = payload { "\(error)" } else { "read" }
    }
    #expect(reasons.count == 2)
    #expect(reasons.first?.hasPrefix("unsupported payload.version: found 2") ?? false)
    #expect(reasons.last?.hasPrefix("invalid payload.checksum") ?? false)
  }

  @Test func aDamagedPayloadHidesNoOther() throws {
    let good = PayloadWriter([Self.program, Self.library]).bytes
    let file = Array(good[..<50]) + good + Array("a log".utf8) + good + good + Array(good[..<9])
    let read = Self.payloads(file).map { (try? $0.get()) != nil }
    #expect(read == [false, true, false, true, true, false])
  }

  @Test func noDamagedCopyIsReadAsAPayload() throws {
    var library = Self.library
    library.parameter = 15
    let good = PayloadWriter([Self.program, library]).bytes
    for length in hostilePrefixLengths(of: good) where length < good.count {
      #expect(Self.payloads(Array(good[..<length])).allSatisfy { (try? $0.get()) == nil })
    }
    for copy in byteFlips(of: good) {
      #expect(Self.payloads(copy).allSatisfy { (try? $0.get()) == nil })
    }
    // Damage that the checksum does not show, because a sender has made it on purpose.
    for copy in byteFlips(of: good, count: 1000, seed: 3) {
      var forged = copy
      forged.replaceSubrange(28..<32, with: [0, 0, 0, 0])
      let checksum = PayloadWriter.checksum(forged)
      for place in 0..<4 {
        forged[28 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(place)))
      }
      for case .success(let payload) in Self.payloads(forged) {
        for table in payload.tables {
          #expect(table.functions.allSatisfy { $0.guardIndex < table.guardCount && $0.quarter < 4 })
        }
      }
    }
  }

  @Test(.needs(.time)) func aHundredThousandTruncatedPayloadsAreCounted() {
    let cut = PayloadWriter([Self.program]).bytes.prefix(24)
    var file: [UInt8] = []
    for _ in 0..<100_000 { file += cut }
    var count = 0
    for payload in FieldPayloads(FileBytes(file)) {
      if case .failure = payload { count += 1 }
    }
    #expect(count == 100_000)
  }
}
