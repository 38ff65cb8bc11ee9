import CommandSupport
import Foundation
import ImageModel
import TestSupport
import Testing

@Suite struct LaunchInputsTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func inputs(_ traces: String..., recorded: [String] = []) throws -> LaunchInputs {
    try LaunchInputs(
      try LaunchFiles(traces.map(builds.path), keepsOpen: true),
      recorded: recorded.map(builds.path))
  }

  @Test func anImageIsFoundByTheNameOfABuildElseByTheProgram() throws {
    try builds.writeTrace("two", of: [("libb.so", ["f1", "f2"]), ("app.rec", ["f3"])])
    try builds.writeImage(SampleBuilds.functions, "libb.so", id: [7])
    let inputs = try inputs("two")
    #expect(inputs.builds.names == ["libb.so", "app.rec"])
    #expect(inputs.builds.usedGroups == [0, 1])
    func group(_ name: String) throws -> Int {
      try inputs.builds.group(for: [ReleaseLayout(path: builds.path(name))])
    }
    #expect(try group("libb.so") == 0)
    #expect(try group("app.rec") == 1)
    #expect(try group("after") == 1, "the program")
    #expect(inputs.warnings.isEmpty)
  }

  @Test func whatIsInOtherImagesIsToldTraceByTrace() throws {
    try builds.writeTrace("two", of: [("libb.so", ["f1", "f2"]), ("app.rec", ["f3"])])
    try builds.writeTrace("none", of: "elsewhere", used: ["f1"], id: [5])
    let inputs = try inputs("app.oftrace", "two", "none", "two")
    let unused = inputs.builds.unused(besides: [0])
    #expect(unused.map(\.count) == [0, 1, 1, 1])
    // The traces are in the order of their paths.
    #expect(unused[1].map(\.reason) == [.anotherProgram])
    #expect(unused[2].map(\.hits) == [2] && unused[2].map(\.functions) == [2])
    #expect(unused[2].map(\.reason) == [.anotherImage])
    #expect(
      Diagnostic.unused(unused, remedies: [Remedy("x")]).map { "\($0)" } == [
        builds.path("none")
          + ": none of 1 hit is used, because the trace has no build of the given image: 1 in 'elsewhere' (1 function)\n  hint: x",
        builds.path("two")
          + ": this and 1 more trace: 4 of 6 hits are not used: 4 in 'libb.so'",
      ])
    #expect(inputs.builds.unused(besides: [0, 1, 2]).flatMap { $0 } == [])
  }

  @Test func programsWhoseFunctionsAreTheSameAreBuildsOfOneProgram() throws {
    let names = SampleBuilds.functions
    try builds.writeTrace(
      "same", of: "app-default", functions: names + ["g"], used: ["f1", "f2", "f3", "g"], id: [6])
    try builds.writeTrace(
      "other", of: "tool", functions: ["g0", "f1", "g2"], used: ["g0", "f1", "g2"],
      id: [7])
    let anyones = ["main", "_start", "_fini"]
    try builds.writeTrace("small", of: "small", functions: anyones, used: anyones, id: [8])
    try builds.writeImage(SampleBuilds.functions + anyones, "after", id: [0xaf, 0x7e])
    var inputs = try inputs("app.oftrace", "same", "other", "small")
    let layout = try ReleaseLayout(path: builds.path("after")).layout
    try inputs.addPrograms(to: 0) { (_) throws(Diagnostic) in layout }
    #expect(inputs.folding.sourceWording(of: 0) == "2 traces")
    #expect(
      inputs.warnings.map(\.message) == [
        "'app-default' counts as a build of 'app.rec': 3 of 4 functions have the same names"
      ])
    #expect(
      inputs.builds.unused(besides: [0]).map { $0.map(\.image) } == [
        [], [builds.path("tool")], [], [builds.path("small")],
      ])
  }

  /// Every program has a `main`. A common `main` alone does not make two programs the same.
  @Test func anotherProgramOfTheSameFileNameIsRefused() throws {
    let names = SampleBuilds.functions + ["main"]
    let others = (0..<16).map { "g\($0)" } + ["main"]
    try builds.writeTrace("one", of: "app", functions: names, used: ["main", "f1", "f2"], id: [1])
    try builds.writeTrace(
      "two", of: "app", functions: others, used: ["main", "g1", "g2", "g3", "g4"], id: [2])
    try builds.writeTrace("few", of: "app", functions: others, used: ["main", "g1"], id: [4])
    try builds.writeTrace("bare", of: "app", functions: names, used: ["main"], id: [3])
    try builds.writeImage(names, "app", id: [9])
    func check(_ traces: String...) throws -> [Diagnostic] {
      var inputs = try LaunchInputs(try LaunchFiles(traces.map(builds.path)))
      let layout = try ReleaseLayout(path: builds.path("app")).layout
      try inputs.checkNames(of: 0, besides: [], traits: []) { _ throws(Diagnostic) in layout }
      return inputs.warnings
    }
    let error = diagnostic { _ = try check("one", "two") }
    #expect(error?.severity == .mismatch && error?.context == [builds.path("two")])
    #expect(error?.message.hasPrefix("only 0 of 4 functions of ") ?? false)
    #expect(try check("one") == [])
    #expect(
      try check("one", "few").map { $0.message.hasSuffix(": 0 of 1 function have the same names") }
        == [true])
    #expect(
      try check("one", "bare").map(\.message) == [
        "'\(builds.path("app"))' counts as a build of 'app' only because of its file name: "
          + "no function but main was recorded"
      ])
  }

  @Test func aTraceWithNothingInItIsWarnedOfUnlessAllAreSo() throws {
    try builds.writeTrace("nothing", of: "app.rec", used: [])
    let some = try inputs("app.oftrace", "nothing")
    #expect(some.warnings.map(\.context) == [[builds.path("nothing")]])
    let error = diagnostic { _ = try inputs("nothing", "nothing") }
    #expect(error?.severity == .nothingRecorded && error?.kind == .missingTraces)
  }

  /// A file that is gone can't be opened again.
  @Test func eachFileIsOpenedOnce() throws {
    let folder = builds.path("folder")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    try builds.writeTrace("folder/second", of: "app.rec", used: ["f4", "f1"], isSealed: false)
    let files = try LaunchFiles(
      [folder, builds.path("app.oftrace")], takesPages: true, keepsOpen: true)
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.removeItem(atPath: builds.path("app.oftrace"))
    let inputs = try LaunchInputs(files)
    #expect(inputs.folding.sourceWording(of: 0) == "2 traces")
    #expect(try inputs.folding.profile(of: [0]).counts.launches == 2)
    var names: [String] = []
    try inputs.folding.forEachLaunch(of: 0) { names.append($1.name) }
    #expect(names == [builds.path("app.oftrace"), folder + "/second"])
  }

  @Test func anImageThatWasNotRecordedIsRefusedWithBothIDs() {
    let error = diagnostic { _ = try inputs("app.oftrace", recorded: ["after"]) }
    #expect(error?.severity == .mismatch)
    #expect(error?.message.contains("expected 9f3a, found af7e") ?? false)
  }

  @Test func launchesOfAnImageInWhichNothingWasRecordedAreNothing() throws {
    try builds.writeTrace("two", of: [("libb.so", []), ("app.rec", ["f3"])])
    let error = diagnostic {
      try inputs("two").folding.forEachLaunch(of: 0) { _, _ in }
    }
    #expect(error?.severity == .nothingRecorded)
    #expect(error?.hint == "the traces have libb.so, app.rec")
  }
}
