import FaultEstimate
import Foundation
import Prediction
import TestSupport
import Testing

/// Thousands of local functions with one name, as code generators and block helpers make them. Each of them is a
/// function of its own in both layouts, and nothing shows which functions correspond.
@Suite(.serialized) struct NamesakeGrowthTests {
  /// Returns two builds with `count` functions of one name. A launch of the image at `recorded` uses `used` of them.
  private static func builds(_ count: Int, used: Int, recorded: String) throws -> SampleBuilds {
    let builds = try SampleBuilds()
    let functions = ["main"] + [String](repeating: "twin", count: count)
    for (name, id) in [("app.rec", 0x9f), ("before", 0xbe), ("after", 0xaf)] as [(String, UInt8)] {
      try builds.workshop.write(sampleImage(functions, id: [id, 1, 2, 3]), name)
    }
    var image = TraceWriter.Image(path: builds.path(recorded), slide: 0x10_0000)
    image.id = [recorded == "app.rec" ? 0x9f : 0xbe, 1, 2, 3]
    image.text = 0x1000..<0x1000 + 16 * UInt64(functions.count)
    image.guards = 0x2000_0000..<0x2000_0000 + 4 * UInt64(functions.count)
    var trace = TraceWriter()
    trace.program = image.path
    trace.addLoad(image)
    for index in 0...UInt64(used) { trace.addHit(image, guard: index, entry: 0x1000 + 16 * index) }
    try builds.workshop.write(trace.bytes(), "app.oftrace")
    return builds
  }

  private static func compare(_ builds: SampleBuilds) throws -> LayoutDiff {
    var options = LayoutDiff.Options(before: builds.path("before"), after: builds.path("after"))
    options.launches.traces = [builds.path("app.oftrace")]
    options.launches.pageSize = .fourKibibytes
    return try LayoutDiff(options)
  }

  @Test(.needs(.time), arguments: ["app.rec", "before"])
  func namesakesThatRanCostNoSquares(recorded: String) throws {
    let diff = try Self.compare(Self.builds(300, used: 200, recorded: recorded)).document
    #expect(diff.presence == Presence(all: 201, before: 201, after: 201))
    let growth = costGrowth(
      from: 500, by: 4, of: { try? Self.builds($0, used: $0, recorded: recorded) },
      { builds in #expect(throws: Never.self) { try Self.compare(#require(builds)) } })
    #expect(growth < 10, "\(growth) times for 4 times as many")
  }

  @Test(.needs(.time)) func namesakesThatNeverRanCostNoSquares() throws {
    let growth = costGrowth(
      from: 10_000, by: 4, of: { try? Self.builds($0, used: 1, recorded: "before") },
      { builds in #expect(throws: Never.self) { try Self.compare(#require(builds)) } })
    #expect(growth < 10, "\(growth) times for 4 times as many")
  }
}
