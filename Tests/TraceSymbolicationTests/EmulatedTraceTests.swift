import Addresses
import ByteReading
import Symbolication
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

/// Tests which trace `record --qemu` makes of the instructions that the plugin in QEMU records.
@Suite struct EmulatedTraceTests {
  /// An image with the functions `f` at 0x1010 and `g` at 0x1040. With a basic block map, `f` has blocks at 0x1010 and
  /// 0x1014.
  private func places(withMap: Bool) throws -> BreakpointPlaces {
    var writer = ELFWriter()
    writer.addText()
    writer.addSymbols([.init("f", value: 0x1010, size: 48), .init("g", value: 0x1040, size: 48)])
    if withMap {
      var map = ByteWriter()
      map.write([2, 0])
      map.write(UInt64(0x1010))
      map.write([2, 0, 0, 4, 8, 1, 0, 44, 1])
      writer.add(.init(".llvm_bb_addr_map", type: 0x6fff_4c0a, contents: map.bytes))
    }
    return try BreakpointPlaces(
      of: FileBytes(writer.bytes()), at: "image", withBlocks: true, lookingFor: ["g"])
  }

  private let image = TraceWriter.Image(guards: 0..<0, idKind: 0, id: [])

  /// A trace as the plugin writes it, with `runs` of instructions at the ticks 10, 20, and so on.
  private func raw(
    _ runs: [Range<UInt64>], of image: TraceWriter.Image? = nil,
    before: (inout TraceWriter) -> Void = { _ in }
  ) throws -> TraceFile {
    let image = image ?? self.image
    var writer = TraceWriter()
    writer.flags = 16 | 4
    writer.addLoad(image)
    before(&writer)
    for (index, run) in runs.enumerated() {
      writer.addRecord(
        kind: 2, second: UInt64(run.count), entry: run.lowerBound + image.slide,
        ticks: UInt64(index + 1) * 10)
    }
    return try TraceFile(parsing: FileBytes(writer.bytes()))
  }

  /// Formats the uses of functions as `f 0x1010`, and those of blocks as `0x1010+4`, with stated addresses.
  private func uses(_ trace: EmulatedTrace) throws -> [String] {
    try TraceFile(parsing: FileBytes(trace.bytes)).records.compactMap { record in
      switch record.event {
      case .function(_, _, let entry?):
        "f \(StatedAddress(rawValue: entry.rawValue - image.slide))"
      case .block(let start, let size):
        "\(StatedAddress(rawValue: start.rawValue - image.slide))+\(size)"
      default: nil
      }
    }
  }

  @Test func runsAreCutWhereFunctionsBegin() throws {
    let places = try places(withMap: false)
    let trace = EmulatedTrace(try raw([0x1010..<0x1018, 0x1038..<0x1044, 0x1000..<0x1004])) { _ in
      places
    }
    #expect(
      try uses(trace) == [
        "f 0x1010", "0x1010+8", "0x1038+8", "f 0x1040", "0x1040+4", "0x1000+4",
      ])
    #expect(!trace.isEmpty)
    let file = try TraceFile(parsing: FileBytes(trace.bytes))
    guard case .load(1, let load) = file.records[0].event else {
      Issue.record("no load")
      return
    }
    #expect(load.blocks == .executed && load.guardSize == 8 && load.id?.bytes == places.id.bytes)
  }

  @Test func aMapsBlocksTakeThePlaceOfRuns() throws {
    let places = try places(withMap: true)
    let trace = EmulatedTrace(try raw([0x1010..<0x1018, 0x1018..<0x1044])) { _ in places }
    #expect(try uses(trace) == ["f 0x1010", "0x1010+4", "0x1014+44", "f 0x1040"])
    let file = try TraceFile(parsing: FileBytes(trace.bytes))
    guard case .load(_, let load) = file.records[0].event else {
      Issue.record("no load")
      return
    }
    #expect(load.blocks == .listed(2))
  }

  @Test func whatIsNotWantedOrTooLateIsLeftOut() throws {
    let places = try places(withMap: false)
    let file = try raw([0x1010..<0x1014, 0x1020..<0x1024, 0x1040..<0x1044])
    #expect(EmulatedTrace(file) { _ in nil }.isEmpty)
    #expect(EmulatedTrace.ticks(ofFirst: "g", in: file) { _ in places } == 30)
    let end = EmulatedTrace.End(ticks: 29, state: .stoppedByFunction)
    let trace = EmulatedTrace(file, until: end) { _ in places }
    #expect(try uses(trace) == ["f 0x1010", "0x1010+4", "0x1020+4"])
    #expect(
      try TraceFile(parsing: FileBytes(trace.bytes)).header.state == .stoppedByFunction)
  }

  /// Another build may be at the path when the launch has ended.
  @Test func whatAnotherBuildExecutedIsLeftOut() throws {
    let places = try places(withMap: false)
    let id = places.idInMemory
    let kind = UInt32(id.kind.rawValue)
    for (kind, bytes, isSame) in [
      (kind, id.bytes, true), (kind, id.bytes.reversed(), false), (kind ^ 2, id.bytes, false),
    ] {
      let file = try raw(
        [0x1010..<0x1014, 0x1040..<0x1044],
        of: TraceWriter.Image(guards: 0..<0, idKind: kind, id: bytes))
      let trace = EmulatedTrace(file) { _ in places }
      #expect(trace.isEmpty != isSame)
      #expect(trace.others.count == (isSame ? 0 : 1))
      #expect(EmulatedTrace.ticks(ofFirst: "g", in: file, { _ in places }) == (isSame ? 20 : nil))
    }
  }

  @Test func programsThatAProcessExecutedAreNamedUnlessThatFailed() throws {
    let file = try raw([]) { writer in
      writer.addRecord(kind: 10, content: Array("/bin/none".utf8))
      writer.addRecord(kind: 10, content: [])
      writer.addRecord(kind: 10, content: Array("/bin/true".utf8))
    }
    #expect(EmulatedTrace(file) { _ in nil }.programs == ["/bin/true"])
    let failed = try raw([]) { writer in
      writer.addRecord(kind: 10, content: Array("/bin/none".utf8))
      writer.addRecord(kind: 10, content: [])
    }
    #expect(EmulatedTrace(failed) { _ in nil }.programs.isEmpty)
  }

  @Test func anyBytesGiveATrace() throws {
    let places = try places(withMap: true)
    let whole = try raw([0x1010..<0x1018, 0x1018..<0x1044, 0x1038..<0x1040])
    let bytes = whole.bytes.copy(0..<whole.bytes.count)
    var read = 0
    for damaged in byteFlips(of: bytes, count: 1000) {
      guard let file = try? TraceFile(parsing: FileBytes(damaged)) else { continue }
      read += 1
      let trace = EmulatedTrace(file) { _ in places }
      _ = try? TraceFile(parsing: FileBytes(trace.bytes))
    }
    #expect(read > 100)
  }
}
