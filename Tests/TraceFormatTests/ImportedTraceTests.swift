import Addresses
import ByteReading
import CTraceFormat
import Testing
import TraceFormat

@Suite struct ImportedTraceTests {
  private func sample(times: Bool, path: String = "/build/app") -> ImportedTrace {
    var trace = ImportedTrace(
      machine: 183,
      image: TraceImageRecord(
        slide: Slide(rawValue: 0), textStart: LoadedAddress(rawValue: 0x1000), textSize: 0x200,
        id: .init(kind: ORDERFILE_ID_UUID, bytes: Array(1...16)), path: Array(path.utf8)))
    trace.processNumber = 581
    trace.uses = [
      .init(
        entry: StatedAddress(rawValue: 0x1100), nanoseconds: times ? 7_000 : nil,
        thread: times ? 4778 : nil),
      .init(entry: StatedAddress(rawValue: 0x1000), nanoseconds: times ? 9_000 : nil),
    ]
    trace.names = [
      TraceName(
        image: 1, address: StatedAddress(rawValue: 0x1100), size: 8, name: Array("_main".utf8)),
      TraceName(
        image: 1, address: StatedAddress(rawValue: 0x1000), size: 8, name: Array("-[A b]".utf8)),
    ]
    return trace
  }

  @Test(arguments: [false, true]) func whatIsWrittenIsReadAgain(times: Bool) throws {
    let trace = sample(times: times)
    let bytes = try trace.bytes()
    #expect(try trace.bytes() == bytes)
    let file = try TraceFile(parsing: FileBytes(bytes))
    #expect(file.header.flags == [.imported, .sealed])
    #expect(file.header.pid == 581 && file.header.machine == 183)
    #expect(file.inFlightRecords == 0 && file.header.lostRecords == 0)
    #expect(file.bytes.text(file.header.program.indices) == "/build/app")
    #expect(file.header.ticksPerSecond == (times ? 1_000_000_000 : 0))
    #expect(file.names == Array(trace.names.reversed()))
    guard case .load(1, let image) = file.records.first?.event else { throw CancellationError() }
    #expect(image == trace.image)
    #expect(file.records.dropFirst().map(\.ticks) == (times ? [7_000, 9_000] : [0, 0]))
    #expect(file.records.dropFirst().map(\.thread) == (times ? [4778, nil] : [nil, nil]))
    let none = LoadedAddress(rawValue: 0)
    #expect(
      file.records.dropFirst().map(\.event) == [
        .function(guard: none, returnAddress: none, entry: LoadedAddress(rawValue: 0x1100)),
        .function(guard: none, returnAddress: none, entry: LoadedAddress(rawValue: 0x1000)),
      ])
  }

  @Test func aPathLongerThanTheFieldIsCutOffThere() throws {
    let path = "/" + String(repeating: "x", count: 5000)
    let file = try TraceFile(parsing: FileBytes(try sample(times: false, path: path).bytes()))
    #expect(file.header.program.byteCount == 1023)
    guard case .load(1, let image) = file.records.first?.event else { throw CancellationError() }
    #expect(image.path.count == 5001)
  }
}
