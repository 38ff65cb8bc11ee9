import Addresses
import ByteReading
import TestSupport
import Testing
import TraceFormat

@Suite struct GrowingTraceTests {
  static let image = {
    var image = TraceImageRecord(
      slide: Slide(rawValue: 0x1000), textStart: LoadedAddress(rawValue: 0x2000), textSize: 0x100,
      id: .init(kind: 1, bytes: [1, 2]), path: Array("/bin/app".utf8))
    image.blocks = .listed(77)
    return image
  }()

  /// The contents of the file after each of `additions`.
  private func files(
    _ trace: GrowingTrace, _ additions: [GrowingTrace.Addition]
  ) -> [[UInt8]] {
    var file = trace.header
    return additions.map { addition in
      file += addition.records
      file.replaceSubrange(
        addition.count.offset..<addition.count.offset + addition.count.bytes.count,
        with: addition.count.bytes)
      return file
    }
  }

  /// A process may run for days before it is recorded.
  @Test(arguments: [nil, 8_640_000_000_012_345]) func timesCountFromTheRecording(begin: UInt64?)
    throws
  {
    let trace = GrowingTrace(
      machine: 62, pid: 7, parent: nil, startTime: 500, begin: begin, program: "/bin/app".utf8,
      now: TraceHeader.ClockPair(ticks: 1, nanoseconds: 1))
    let header = try TraceFile(parsing: FileBytes(trace.header)).header
    #expect(header.processStart == begin ?? 5_000_000_000)
    #expect(header.startTime == 500, "which still tells the process from others with its number")
  }

  @Test func functionsAndBlocksAreInTheOrderOfTheirUse() throws {
    var trace = GrowingTrace(
      machine: 62, pid: 7, parent: nil, startTime: 0, program: "/bin/app".utf8,
      now: TraceHeader.ClockPair(ticks: 1, nanoseconds: 1))
    let (number, load) = trace.load(Self.image, ticks: 2)
    #expect(number == 1)
    func address(_ value: UInt64) -> LoadedAddress { LoadedAddress(rawValue: value) }
    let additions = [
      load,
      trace.use(
        function: address(0x2010), blocks: [(address(0x2010), 4), (address(0x2014), 9)], ticks: 3,
        thread: 5),
      trace.use(function: nil, blocks: [(address(0x2030), 8)], ticks: 4, thread: 5),
      trace.use(function: address(0x2050), ticks: 5, thread: 6),
    ]
    let files = files(trace, additions)
    let counts = try files.map { try TraceFile(parsing: FileBytes($0)).records.count }
    #expect(counts == [1, 4, 5, 6])
    let whole = try TraceFile(parsing: FileBytes(files[3]))
    guard case .load(1, let image) = whole.records[0].event else { throw CancellationError() }
    #expect(image.blocks == .listed(77) && image.path == Array("/bin/app".utf8))
    let none = address(0)
    #expect(
      whole.records.dropFirst().map(\.event) == [
        .function(guard: none, returnAddress: none, entry: address(0x2010)),
        .block(address(0x2010), size: 4), .block(address(0x2014), size: 9),
        .block(address(0x2030), size: 8),
        .function(guard: none, returnAddress: none, entry: address(0x2050)),
      ])
    #expect(whole.records.map(\.ticks) == [2, 3, 3, 3, 4, 5])
  }
}
