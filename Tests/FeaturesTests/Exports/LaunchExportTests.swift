import Addresses
import Exports
import Foundation
import ImageModel
import TestSupport
import Testing

@Suite struct LaunchExportTests {
  /// Returns a sealed trace of a program and a library, with times.
  static func trace(
    hasTimes: Bool = true, session: UInt64 = 0, start: UInt64 = 1000
  ) -> [UInt8] {
    var trace = TraceWriter()
    trace.session = session
    if hasTimes {
      trace.ticksPerSecond = 1_000_000_000
      trace.firstPair = (1000, 1000)
      trace.lastPair = (9_000_000, 9_000_000)
      trace.processStart = start
    }
    let app = TraceWriter.Image()
    let library = TraceWriter.Image(
      number: 2, path: "/lib/libx.so", slide: 0x30_0000, guards: 0x40_0000..<0x40_0100, id: [1, 2])
    trace.addLoad(app)
    trace.addLoad(library)
    trace.addHit(app, guard: 0, entry: 0x1000, ticks: 2000)
    trace.addHit(library, guard: 0, entry: 0x2000, ticks: 3000, thread: 2)
    trace.addMark("ready", ticks: 4000)
    trace.addHit(app, guard: 1, entry: 0x1100, ticks: 5000)
    trace.names = [
      .init(address: 0x1000, size: 16, name: "main"),
      .init(address: 0x1100, size: 0, name: "late"),
      .init(image: 2, address: 0x2000, size: 32, name: "\u{1b}x"),
    ]
    return trace.bytes()
  }

  private static func export(_ files: [[UInt8]]) throws -> LaunchExport {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("export-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try files.enumerated().map { index, bytes in
      let file = folder.appendingPathComponent("\(index).oftrace")
      try Data(bytes).write(to: file)
      return file.path
    }
    return try LaunchExport(LaunchExport.Options(traces: paths))
  }

  @Test func hitsHaveWhatTheTraceKnows() throws {
    let export = try Self.export([Self.trace()])
    let launch = try #require(export.launches.first)
    try export.checkTimes()
    #expect(launch.hits.map(\.image) == [0, 1, 0] && launch.hits.map(\.thread) == [1, 2, 1])
    #expect(launch.hits.map(\.names) == [["main"], ["\u{1b}x"], ["late"]])
    #expect(launch.hits.map(\.sizeBytes) == [16, 32, nil])
    #expect(launch.hits.map { $0.address?.rawValue } == [0x1000, 0x2000, 0x1100])
    #expect(launch.stages.map(\.name).contains("ready") && launch.marks.count == 1)
    #expect(export.warnings.isEmpty)
  }

  @Test func aTraceWithoutTimesHasNoTimeline() throws {
    let export = try Self.export([Self.trace(hasTimes: false)])
    let error = #expect(throws: Diagnostic.self) { try export.checkTimes() }
    #expect(error?.message == "the trace has no times")
  }

  @Test func processesOfOneLaunchAreOnOneTimeline() throws {
    let export = try Self.export([
      Self.trace(session: 5, start: 1700), Self.trace(session: 5, start: 1000),
      Self.trace(session: 6, start: 2000), Self.trace(start: 1900),
    ])
    #expect(export.launches.map(\.startNanoseconds) == [700, 0, 0, 0])
  }

  @Test func aTraceThatIsGivenAgainIsWarnedOfOnce() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("export-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.trace()).write(to: file)
    let export = try LaunchExport(
      LaunchExport.Options(traces: [file.path, file.path, file.path]))
    #expect(
      export.warnings.map(\.message) == [
        "this trace is given more than once, so its hits count several times"
      ])
  }

  /// Every image has an `_init`.
  @Test func hitsAreFoundByImageAndPage() throws {
    var launch = try #require(try Self.export([Self.trace()]).launches.first)
    for index in launch.hits.indices { launch.hits[index].names = ["_init"] }
    let hits = FirstHits(of: launch)
    #expect(hits.hit(of: "_init", in: 0) == 0 && hits.hit(of: "_init", in: 1) == 1)
    #expect(hits.hit(of: "main", in: 0) == nil)
    let late = try #require(launch.hits[2].address)
    #expect(hits.hit(at: late, in: 0) == 2 && hits.hit(at: late, in: 1) == nil)
    launch.hits[2].address = StatedAddress(rawValue: 0x9100)
    func hit(onPageAt page: UInt64) -> Int? {
      FirstHits(of: launch).hit(
        of: "_init", in: 0, onPageAt: StatedAddress(rawValue: page))
    }
    #expect(hit(onPageAt: 0x1000) == 0 && hit(onPageAt: 0x9000) == 2 && hit(onPageAt: 0x5000) == 0)
  }

  /// A full disk or a kill may cut a trace off anywhere.
  @Test func damagedTracesNeverTrapHostile() throws {
    let bytes = Self.trace()
    for length in stride(from: 0, to: bytes.count, by: 191) {
      #expect(throws: Diagnostic.self) { try Self.export([Array(bytes[..<length])]) }
    }
    var empty = TraceWriter()
    empty.addLoad(TraceWriter.Image())
    empty.names = []
    let error = #expect(throws: Diagnostic.self) { try Self.export([empty.bytes()]) }
    #expect(error?.severity == .nothingRecorded)
    #expect(try Self.export([empty.bytes(), Self.trace()]).warnings.count == 1)
  }
}
