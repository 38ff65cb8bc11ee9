import CommandSupport
import Foundation
import ImageModel
import TestSupport
import Testing

@Suite struct LaunchFilesTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func weights(_ arguments: [String], weighted: [String] = []) throws -> [String] {
    try LaunchFiles(arguments, weighted: weighted).files.map {
      "\($0.weight) \($0.path.split(separator: "/").last ?? "")"
    }
  }

  @Test func listsFoldersAndFilesMayBeWeighted() throws {
    let trace = builds.path("app.oftrace")
    try builds.write("# traces\n\(trace)\n4,\(trace)\n\n", "list")
    #expect(
      try weights(
        [trace, "@" + builds.path("list")], weighted: ["2," + trace, "3,@" + builds.path("list")])
        == ["1", "1", "2", "3", "4", "12"].map { $0 + " app.oftrace" })
  }

  @Test func ofAFolderOnlyTracesAndProfilesAreTaken() throws {
    let folder = builds.workshop.folder.path
    let files = try LaunchFiles([folder])
    #expect(files.files.map(\.path) == [builds.path("app.oftrace")])
    #expect(
      files.warnings.map(\.message) == [
        "left out 4 files that are neither a trace nor a profile: after, app.rec, before, ..."
      ])
    try FileManager.default.removeItem(atPath: builds.path("app.oftrace"))
    let error = diagnostic { _ = try LaunchFiles([folder]) }
    #expect(error?.severity == .nothingRecorded)
  }

  @Test(arguments: [
    "0,x", "-1,x", "x", "3", "1.5,x", ",x", "281474976710657,x", "99999999999999999999,x",
  ])
  func aWeightIsANumberFromOneToTheMostThatCanBeCounted(argument: String) {
    let error = diagnostic { _ = try LaunchFiles([], weighted: [argument]) }
    #expect(error?.severity == .usage)
    #expect(error?.message.hasPrefix("invalid weight: expected ") ?? false, "\(argument)")
  }

  @Test func aWeightInAListIsNamedWithItsLine() throws {
    try builds.write("x\n0,y\n", "list")
    let error = diagnostic { _ = try LaunchFiles(["@" + builds.path("list")]) }
    #expect(error?.context == [builds.path("list"), "line 2"])
  }
}
