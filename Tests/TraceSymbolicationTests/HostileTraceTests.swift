import ByteReading
import ImageModel
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

/// Reads damaged copies of a sealed trace with all code that a command uses to read a trace. It may throw, but must not
/// trap.
@Suite struct HostileTraceTests {
  static let sealed: [UInt8] = {
    var writer = TraceWriter()
    let app = TraceAttributionTests.app
    let plugin = TraceAttributionTests.plugin
    writer.processStart = 1_000_000_000
    writer.firstPair = (0, 1_001_000_000)
    writer.lastPair = (9_000_000, 1_010_000_000)
    writer.names = [
      .init(address: 0x1000, size: 16, name: "main"),
      .init(address: 0x1010, size: 0, name: "größe"),
      .init(image: 2, address: 0x1000, size: 16, name: "enter"),
    ]
    writer.addHit(app, guard: 0, entry: 0x1000, calledFrom: 0x1004, ticks: 5)
    writer.addLoad(app)
    writer.addHit(app, guard: 1, entry: 0x1010, calledFrom: 0x1014, ticks: 6)
    writer.addMark("first screen", ticks: 7)
    writer.addRecord(kind: 3, subject: 1, second: 8, entry: 0x1010 + app.slide)
    writer.addLoad(plugin)
    writer.addHit(plugin, guard: 0, entry: 0x1000, calledFrom: 0x1008, ticks: 9, thread: 2)
    writer.addUnload(plugin)
    writer.addLoad(TraceAttributionTests.other)
    writer.addLoaderName("exported", at: 0x10_1010)
    writer.addRecord(kind: 0)
    writer.addRecord(kind: 9)
    writer.addRecord(kind: 77)
    return writer.bytes()
  }()

  /// Basic blocks of a launch with breakpoints.
  static let blocks: [UInt8] = {
    var writer = TraceWriter()
    let app = TraceAttributionTests.app
    writer.flags = TraceHeader.Flags.breakpoints.rawValue
    writer.names = [.init(address: 0x1000, size: 64, name: "main")]
    writer.addLoad(app)
    writer.addRecord(kind: 1, entry: 0x1000 + app.slide)
    writer.addRecord(kind: 2, second: 8, entry: 0x1000 + app.slide)
    writer.addRecord(kind: 2, second: 12, entry: 0x1020 + app.slide)
    writer.addUnload(app)
    return writer.bytes()
  }()

  /// Everything that a command does with a trace.
  static func readAll(_ bytes: [UInt8]) -> Int? {
    guard let file = try? TraceFile(parsing: FileBytes(bytes)) else { return nil }
    let trace = Trace(file, path: "t")
    var uses = 0
    for group in trace.imageGroups {
      let recorded = RecordedFunctions(
        trace, group: group, in: RecordedImage(namesOf: trace, group: group))
      uses += recorded.uses.count
      uses += recorded.dataUses.count { $0.data.count > 64 }
      for use in recorded.uses where use.executedBytes > use.size ?? 0 { return nil }
    }
    let recorded = trace.images.indices.map { RecordedImage(namesOf: trace, group: [$0]) }
    _ = trace.hitsBeforeMain(recorded)
    _ = file.sealed(
      TraceFile.Seal(processStart: .max, lastPair: .init(ticks: .max, nanoseconds: .max)),
      names: trace.namesForSealing(recorded),
      recordable: trace.recordableForSealing(\.recordable))
    return uses
  }

  @Test func theWholeTraceIsRead() {
    #expect(Self.readAll(Self.sealed) == 3)
    #expect(Self.readAll(Self.blocks) == 1)
  }

  @Test func everyFieldOfABlockAtItsExtremeIsRead() {
    var readCount = 0
    for value in [UInt64.max, UInt64.max / 2, 1 << 32, 0x1008, 0] {
      for offset in stride(from: 4096, to: Self.blocks.count - 7, by: 8) {
        var bytes = Self.blocks
        for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        if Self.readAll(bytes) != nil { readCount += 1 }
      }
    }
    #expect(readCount > 100)
  }

  @Test func everyPrefixThrowsOrIsRead() {
    // The first page is one long header, so the file is cut at the borders of the header's fields.
    let cuts = hostilePrefixLengths(of: Self.sealed).filter { $0 <= 1300 || $0 >= 4090 }
    let recordEnds = Array(stride(from: 4096, through: Self.sealed.count, by: 40))
    for cut in cuts + recordEnds {
      let uses = Self.readAll(Array(Self.sealed[..<cut]))
      #expect(uses == nil || cut == Self.sealed.count, "a sealed trace cut to \(cut) bytes")
    }
  }

  @Test func everyFlippedByteThrowsOrIsRead() {
    var random = SeededRandom(seed: 3)
    // Changed bytes in the unused rest of the first page have no effect, so half of the changes are made in the
    // records.
    let records = Self.sealed.count - 4096
    for copy in 0..<1000 {
      var bytes = Self.sealed
      let index =
        copy % 2 == 0
        ? Int.random(in: 0..<208, using: &random)
        : 4096 + Int.random(in: 0..<records, using: &random)
      bytes[index] ^= UInt8.random(in: 1...255, using: &random)
      _ = Self.readAll(bytes)
    }
  }

  /// Whole fields at their extremes find what single bytes don't.
  @Test func everyFieldAtItsExtremeThrowsOrIsRead() {
    for value in [UInt64.max, UInt64.max / 2, 1 << 32, 0] {
      for offset in Array(stride(from: 8, to: 208, by: 8))
        + Array(stride(from: 4096, to: Self.sealed.count - 7, by: 8))
      {
        var bytes = Self.sealed
        for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        _ = Self.readAll(bytes)
      }
    }
  }

  @Test func namesThatShareOneTextAreRefused() throws {
    var writer = TraceWriter()
    writer.names = [
      .init(address: 1, size: 1, name: "a"), .init(address: 2, size: 1, name: "bcd"),
      .init(address: 3, size: 1, name: "e"),
    ]
    var bytes = writer.bytes()
    let table = bytes.count - 3 * 32 - 5
    for entry in 0..<3 {
      bytes[table + entry * 32 + 4] = 90  // name_size
      bytes[table + entry * 32 + 24] = 0  // name_offset
    }
    #expect(throws: ParseError.self) { try TraceFile(parsing: FileBytes(bytes)) }
  }
}
