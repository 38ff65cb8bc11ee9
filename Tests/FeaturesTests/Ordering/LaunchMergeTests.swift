import CommandSupport
import FaultEstimate
import ImageModel
import Ordering
import Prediction
import TestSupport
import Testing

@Suite struct LaunchMergeTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func merge(
    _ names: [String], weighted: [String] = [], keepsGoing: Bool = false
  ) throws -> LaunchMerge {
    var options = LaunchMerge.Options(paths: names.map(builds.path))
    options.weighted = weighted
    options.keepsGoing = keepsGoing
    return try LaunchMerge(options)
  }

  private func write(_ merge: LaunchMerge, _ name: String) throws {
    try builds.workshop.write(merge.bytes, name)
  }

  @Test func aBrokenFileAmongManyIsNamedAndCanBeLeftOut() throws {
    try write(try merge(["app.oftrace"]), "good")
    try builds.workshop.write(builds.bytes("good")?.dropLast() ?? [], "short")
    var newer = try #require(builds.bytes("good"))
    newer[8] = 9
    try builds.workshop.write(newer, "newer")
    let files = ["app.oftrace", "good", "short", "newer", "after", "nowhere"]
    let error = diagnostic { _ = try merge(files) }
    #expect(error?.context == [builds.path("after")])
    #expect(error?.message.contains("3 more files can't be read: ") ?? false)
    #expect(error?.hint == "give --keep-going to leave out files that can't be read")
    let rest = try merge(files, keepsGoing: true)
    #expect(rest.fileCount == 2 && rest.profile.counts.launches == 2)
    let warnings = rest.warnings.map(\.description)
    #expect(warnings.count == 4)
    #expect(warnings.contains { $0.contains("found 9, this tool reads 3") })
    #expect(
      warnings.contains {
        $0.hasPrefix("\(builds.path("short")): left out: the profile ends early")
      })
    #expect(diagnostic { _ = try merge(["short"], keepsGoing: true) } != nil)
  }

  @Test func launchesOfOtherProgramsAreKeptApart() throws {
    try builds.writeTrace("other.oftrace", of: "other", functions: ["g0"], used: ["g0"], id: [7])
    try write(try merge(["app.oftrace", "other.oftrace"]), "both")
    var options = OrderGeneration.Options(traces: [builds.path("both")])
    options.builds = .one(image: builds.path("app.rec"))
    var generation = try OrderGeneration(options)
    let order = try generation.order(ofImageNamed: "app.rec", outputPath: "x")
    #expect(order.image.recording.launches == 1 && order.image.recording.functions == 4)
    #expect(generation.unused.map(\.image) == [builds.path("other")])
  }

  /// The images may also have the same build ID, which a linker writes if an option gives it (`--build-id=0x7`).
  @Test(arguments: [(false, false), (true, false), (true, true)])
  func launchesOnSeveralMachinesAreRefused(haveOneID: Bool, areOrdered: Bool) throws {
    for (machine, name) in [(183, "arm.oftrace"), (62, "x86.oftrace")] as [(UInt8, String)] {
      try builds.writeTrace(name, of: "app", used: ["f0"], id: [haveOneID ? 7 : machine])
      var bytes = try #require(builds.bytes(name))
      bytes[20] = machine
      try builds.workshop.write(bytes, name)
    }
    let names = ["x86.oftrace", "arm.oftrace"]
    let error = diagnostic {
      if areOrdered {
        var generation = try OrderGeneration(
          OrderGeneration.Options(traces: names.map(builds.path)))
        _ = try generation.order(ofImageNamed: "app", outputPath: "x")
      } else {
        _ = try merge(names)
      }
    }
    #expect(error?.severity == .mismatch)
    #expect(
      error?.message == "machine mismatch: expected launches on one machine, found x86_64, arm64")
  }

  @Test func weightsThatExceedWhatCanBeCountedAreRefused() throws {
    let path = builds.path("app.oftrace")
    let most = LaunchFiles.largestWeight
    #expect(try merge([], weighted: ["\(most),\(path)"]).profile.counts.launches == most)
    let error = diagnostic { _ = try merge(["app.oftrace"], weighted: ["\(most),\(path)"]) }
    #expect(error?.message.hasPrefix("too many launches: ") ?? false)
  }

  @Test func launchesThatLackHitsAreCounted() throws {
    var names = ["app.oftrace"]
    for number in 0..<4 {
      names.append("t\(number)")
      try builds.writeTrace(
        names[number + 1], of: "app.rec", used: Array(SampleBuilds.functions[0..<8]))
    }
    try builds.writeTrace("short", of: "app.rec", used: ["f1"])
    try builds.writeTrace("nothing", of: "app.rec", used: [])
    let merge = try merge(names + ["short", "nothing"])
    let warnings = merge.warnings.map(\.message)
    #expect(
      warnings == [
        "1 of 7 launches recorded nothing",
        "1 of 7 launches used fewer than half as many functions as the median launch: they may have ended early",
      ])
    let document = merge.document(path: "x")
    let weights = document.wholeLaunches.map(\.launches).sorted()
    #expect(document.launches == 7)
    #expect(document.functions.count == 10)
    #expect(weights == [1, 1, 4])
  }

  @Test func aProfileIsAGoodInputOfDiff() throws {
    try builds.writeTrace("second", of: "app.rec", used: ["f4", "f1"])
    try write(try merge(["app.oftrace", "second"]), "profile")
    func document(_ traces: [String]) throws -> DiffDocument {
      var options = LayoutDiff.Options(before: builds.path("before"), after: builds.path("after"))
      options.launches.traces = traces.map(builds.path)
      return try LayoutDiff(options).document
    }
    let traced = try document(["app.oftrace", "second"])
    let profiled = try document(["profile"])
    #expect(profiled.startupSource == "2 launches")
    #expect(profiled.compliance.functions == traced.compliance.functions)
    #expect(profiled.prediction.traces.count == 2)
    for launch in profiled.prediction.traces { #expect(launch.path.contains("profile launch 0x")) }
  }
}
