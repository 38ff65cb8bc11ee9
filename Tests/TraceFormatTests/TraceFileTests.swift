import Addresses
import ByteReading
import CTraceFormat
import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite struct TraceFileTests {
  /// A trace with one record of each kind.
  private func sample() -> [UInt8] {
    var writer = TraceWriter()
    writer.processNumber = 42
    writer.lostRecords = 3
    writer.addLoad(
      TraceWriter.Image(
        path: "/usr/bin/program", guards: 0x9000..<0x9040, id: [1, 2, 3, 4]))
    writer.addRecord(
      kind: ORDERFILE_RECORD_FUNCTION, subject: 0x9000, second: 0x3010, entry: 0x3000)
    writer.addRecord(kind: ORDERFILE_RECORD_NONE)
    writer.addMark("first screen")
    writer.addRecord(kind: ORDERFILE_RECORD_FUNCTION, subject: 0x9004, second: 0x3110, thread: 2)
    writer.addRecord(kind: ORDERFILE_RECORD_UNUSED, subject: 2)
    writer.addRecord(kind: ORDERFILE_RECORD_NONE)
    writer.addRecord(kind: ORDERFILE_RECORD_CONTENT)
    writer.addRecord(kind: ORDERFILE_RECORD_BLOCK, second: 12, entry: 0x3004)
    writer.addRecord(kind: ORDERFILE_RECORD_DATA, subject: 1, second: 8, entry: 0x5000)
    writer.addLoaderName("main", at: 0x3000)
    writer.addRecord(kind: ORDERFILE_RECORD_UNLOAD, subject: 1)
    writer.addRecord(kind: 99, subject: 1)
    return writer.bytes()
  }

  /// A killed process may leave a file most of which has no blocks.
  @Test func slotsWithoutBlocksAreInFlight() throws {
    let slots = 100_000_000
    let workshop = try Workshop()
    var bytes = sample()
    let field = try #require(MemoryLayout<orderfile_trace_header>.offset(of: \.next_record))
    for offset in [field, field + 8] {  // and capacity
      bytes.replaceSubrange(
        offset..<offset + 8, with: (0..<8).map { UInt8(truncatingIfNeeded: slots >> (8 * $0)) })
    }
    try workshop.write(bytes, "sparse")
    let path = workshop.folder.appendingPathComponent("sparse").path
    try #require(truncate(path, off_t(4096 + slots * TraceRecord.size)) == 0)
    let trace = try TraceFile(parsing: FileBytes(copyOf: path, limit: 4 << 30))
    let whole = try TraceFile(parsing: FileBytes(sample()))
    #expect(trace.records == whole.records)
    #expect(trace.inFlightRecords == slots - whole.slotCount + whole.inFlightRecords)
  }

  @Test func everyKindIsRead() throws {
    let trace = try TraceFile(parsing: FileBytes(sample()))
    #expect(trace.header.pid == 42 && trace.header.lostRecords == 3)
    #expect(trace.inFlightRecords == 1)
    let events = trace.records.map(\.event)
    #expect(events.count == 9)
    guard case .load(1, let image) = events.first else { throw CancellationError() }
    #expect(image.path == Array("/usr/bin/program".utf8) && image.id?.bytes == [1, 2, 3, 4])
    #expect(
      Array(events.dropFirst()) == [
        .function(
          guard: LoadedAddress(rawValue: 0x9000), returnAddress: LoadedAddress(rawValue: 0x3010),
          entry: LoadedAddress(rawValue: 0x3000)),
        .mark(name: Array("first screen".utf8)),
        .function(
          guard: LoadedAddress(rawValue: 0x9004), returnAddress: LoadedAddress(rawValue: 0x3110),
          entry: nil),
        .block(LoadedAddress(rawValue: 0x3004), size: 12),
        .data(LoadedAddress(rawValue: 0x5000), size: 8, image: 1),
        .name(LoadedAddress(rawValue: 0x3000), name: Array("main".utf8)), .unload(image: 1),
        .other(kind: 99),
      ])
  }

  @Test func aLoadStandsBeforeTheFirstHitOfItsImage() throws {
    var writer = TraceWriter()
    writer.addRecord(kind: ORDERFILE_RECORD_FUNCTION, subject: 0x8000, second: 0x3010)
    writer.addRecord(kind: ORDERFILE_RECORD_FUNCTION, subject: 0x9000, second: 0x3010)
    writer.addLoad(TraceWriter.Image(number: 7, guards: 0x9000..<0x9040), firstHit: 2)
    let records = try TraceFile(parsing: FileBytes(writer.bytes())).records
    #expect(records.map(\.slot) == [0, 1, 1])
    guard case .load(7, _) = records[1].event else { throw CancellationError() }
  }

  @Test(arguments: [0, 1, 4, UInt64.max])
  func aRunOfUnusedSlotsEndsWithTheTrace(run: UInt64) throws {
    var writer = TraceWriter()
    writer.addRecord(kind: ORDERFILE_RECORD_UNUSED, subject: run)
    for _ in 0..<3 { writer.addRecord(kind: ORDERFILE_RECORD_NONE) }
    let trace = try TraceFile(parsing: FileBytes(writer.bytes()))
    #expect(trace.records == [] && trace.inFlightRecords == (run <= 1 ? 3 : 0))
  }

  @Test func everyPrefixThrowsOrParses() {
    let whole = sample()
    let boundaries = stride(from: 4096, through: whole.count, by: TraceRecord.size).map { $0 }
    for end in hostilePrefixLengths(of: whole, boundaries: boundaries) {
      let trace = try? TraceFile(parsing: FileBytes(Array(whole[..<end])))
      #expect(trace == nil || end >= 4096)
    }
  }

  @Test(.needs(.time), arguments: [false, true])
  func aFlippedByteThrowsOrParses(isSealed: Bool) throws {
    var whole = sample()
    if isSealed {
      whole = try TraceFile(parsing: FileBytes(whole)).sealed(
        .init(workload: Self.workload), names: Self.names, recordable: Self.recordable)
    }
    // Most of the header is zeros, so only bytes that are read are changed, half of them in the fields, half in the
    // slots.
    for part in [0..<200, 2528..<2568, 4096..<whole.count] {
      for damaged in byteFlips(of: Array(whole[part]), count: 500) {
        var copy = whole
        copy.replaceSubrange(part, with: damaged)
        guard let trace = try? TraceFile(parsing: FileBytes(copy)) else { continue }
        _ = trace.sealed(.init(), names: trace.names, recordable: trace.recordableCode)
      }
    }
  }

  /// The last block of such a file was never written.
  @Test(arguments: ["", "a\0", "\0\0\0"])
  func aNameOfZeroBytesIsDamage(name: String) {
    var writer = TraceWriter()
    writer.names = [TraceWriter.Name(address: 0x1000, size: 4, name: name)]
    #expect(throws: ParseError.self) { try TraceFile(parsing: FileBytes(writer.bytes())) }
  }

  private static let names = [
    TraceName(
      image: 1, address: StatedAddress(rawValue: 0x2000), size: 16, name: Array("main".utf8)),
    TraceName(
      image: 1, address: StatedAddress(rawValue: 0x2000), size: 16, name: Array("alias".utf8)),
    TraceName(
      image: 1, address: StatedAddress(rawValue: 0x1000), size: nil, name: [0xff, 0x20, 0x0a]),
    TraceName(
      image: 1, address: StatedAddress(rawValue: 0x1000), size: nil, name: [0xff, 0x20, 0x0a]),
  ]

  private static let recordable = [
    TraceRecordableCode(
      image: 1, means: .callback, functions: 3, allFunctions: 9, bytes: 40, allBytes: 900,
      units: [
        .init(functions: 4, bytes: 800, name: Array("core.c".utf8), largestFunction: [0xff]),
        .init(functions: 2, bytes: 60, name: nil, largestFunction: nil),
      ]),
    TraceRecordableCode(
      image: 2, means: .init(rawValue: 77), functions: 0, allFunctions: 0, bytes: 0, allBytes: 0,
      units: []),
  ]

  @Test func sealingAddsHowMuchCodeCouldBeRecorded() throws {
    let open = try TraceFile(parsing: FileBytes(sample()))
    let bytes = open.sealed(.init(), names: Self.names, recordable: Self.recordable)
    let sealed = try TraceFile(parsing: FileBytes(bytes))
    #expect(sealed.recordableCode == Self.recordable && sealed.names.count == 3)
    #expect(TraceHeader.mayGrow(open.bytes) && !TraceHeader.mayGrow(sealed.bytes))
    #expect(!TraceHeader.mayGrow(FileBytes(Array("no trace".utf8))))
    let again = sealed.sealed(.init(), names: sealed.names, recordable: sealed.recordableCode)
    #expect(again == bytes)
    // Older tools do not store the recordable code, so it is unknown.
    let older = try TraceFile(parsing: FileBytes(open.sealed(.init(), names: Self.names)))
    #expect(older.recordableCode == [] && older.names == sealed.names)
  }

  private static let workload = TraceWorkload(
    commandLine: 0x0123_4567_89ab_cdef, name: Array("app.oftrace".utf8),
    inputs: [
      .init(path: Array("a.sql".utf8), hash: 7), .init(path: Array("b\n.sql".utf8), hash: .max),
    ])

  @Test func sealingAddsWhatTheLaunchWasAskedToDo() throws {
    let open = try TraceFile(parsing: FileBytes(sample()))
    #expect(open.workload == nil)
    let bytes = open.sealed(
      .init(workload: Self.workload), names: Self.names, recordable: Self.recordable)
    let sealed = try TraceFile(parsing: FileBytes(bytes))
    #expect(sealed.workload == Self.workload && sealed.recordableCode == Self.recordable)
    let without = open.sealed(.init(), names: Self.names, recordable: Self.recordable)
    #expect(try TraceFile(parsing: FileBytes(without)).workload == nil)
    // The workload is at the end of the file, so each cut is inside it.
    for count in without.count..<bytes.count {
      #expect(throws: ParseError.self) { try TraceFile(parsing: FileBytes(Array(bytes[..<count]))) }
    }
    var damaged = Self.workload
    damaged.name.append(0)
    #expect(throws: ParseError.self) {
      try TraceFile(parsing: FileBytes(open.sealed(.init(workload: damaged), names: [])))
    }
  }

  @Test func recordableCodeThatCannotBeIsDamage() throws {
    let open = try TraceFile(parsing: FileBytes(sample()))
    let damages: [(String, (inout TraceRecordableCode) -> Void)] = [
      ("invalid recordable.functions", { $0.functions = 10 }),
      ("invalid recordable.functions", { $0.bytes = 901 }),
      ("invalid unit.name", { $0.units[0].name = [0x61, 0] }),
    ]
    for (reason, damage) in damages {
      var code = Self.recordable
      damage(&code[0])
      let bytes = open.sealed(.init(), names: [], recordable: code)
      do {
        _ = try TraceFile(parsing: FileBytes(bytes))
        Issue.record("'\(reason)' was read")
      } catch { #expect(error.description.hasPrefix(reason), "\(error)") }
    }
    // A count of units that the table has no room for.
    var bytes = open.sealed(.init(), names: [], recordable: [Self.recordable[1]])
    for byte in 0..<8 { bytes[bytes.count - 8 + byte] = 0xff }
    #expect(throws: ParseError.self) { try TraceFile(parsing: FileBytes(bytes)) }
  }

  @Test func sealingKeepsTheRecordsAndAddsNamesOnceInOrder() throws {
    let open = try TraceFile(parsing: FileBytes(sample()))
    let seal = TraceFile.Seal(
      processStart: 77, lastPair: TraceHeader.ClockPair(ticks: 5, nanoseconds: 6))
    let bytes = open.sealed(seal, names: Self.names)
    let sealed = try TraceFile(parsing: FileBytes(bytes))
    #expect(sealed.records == open.records && sealed.inFlightRecords == open.inFlightRecords)
    #expect(sealed.header.lostRecords == 3 && sealed.header.flags.contains(.sealed))
    #expect(sealed.header.state == open.header.state)
    #expect(sealed.header.processStart == 77 && sealed.header.startResolution == 1)
    #expect(sealed.header.lastPair == TraceHeader.ClockPair(ticks: 5, nanoseconds: 6))
    #expect(sealed.names == [Self.names[2], Self.names[1], Self.names[0]])
    #expect(open.sealed(seal, names: Self.names.reversed()) == bytes)
    #expect(sealed.sealed(seal, names: sealed.names) == bytes)
  }

  @Test func whatIsNoTraceIsSaidSo() {
    var foreign = sample()
    foreign[8] = 9
    for (bytes, reason) in [
      (Array("#!/bin/sh\necho no trace\n".utf8), "invalid magic"), ([], "truncated magic"),
      (foreign, "unsupported version"),
    ] {
      do {
        _ = try TraceFile(parsing: FileBytes(bytes))
        Issue.record("'\(reason)' was read")
      } catch {
        #expect(error.description.hasPrefix(reason), "\(error)")
      }
    }
  }
}
