import ImageModel
import TestSupport
import Testing
import Workflows

@Suite struct LaunchInputsTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func inputs(_ traces: String..., recorded: [String] = []) throws -> LaunchInputs {
    try LaunchInputs(
      traces: traces.map(builds.path), recorded: recorded.map(builds.path), architecture: nil)
  }

  @Test func anImageIsFoundByTheNameOfABuildElseByTheProgram() throws {
    let inputs = try inputs("app.oftrace")
    #expect(inputs.traces.fileNames == ["app.rec"])
    #expect(inputs.traces.usedFileNames == ["app.rec"])
    #expect(try inputs.fileName(forImagesNamed: ["/elsewhere/app.rec"]) == "app.rec")
    #expect(try inputs.fileName(forImagesNamed: ["/elsewhere/after"]) == "app.rec")
    #expect(inputs.warnings.isEmpty)
    #expect(inputs.warnings(forImageNamed: "libb.so").count == 1)
  }

  @Test func aTraceWithNothingInItIsWarnedOfUnlessAllAreSo() throws {
    try builds.writeTrace("nothing", of: "app.rec", used: [])
    let some = try inputs("app.oftrace", "nothing")
    #expect(some.warnings.map(\.context) == [[builds.path("nothing")]])
    let error = diagnostic { _ = try inputs("nothing", "nothing") }
    #expect(error?.severity == .nothingRecorded)
  }

  @Test func anImageThatWasNotRecordedIsRefusedWithBothIDs() {
    let error = diagnostic { _ = try inputs("app.oftrace", recorded: ["after"]) }
    #expect(error?.severity == .mismatch)
    #expect(error?.message.contains("expected 9f3a, found af7e") ?? false)
  }

  @Test func launchesOfAnImageThatNoTraceHasAreNothing() throws {
    let error = diagnostic {
      try inputs("app.oftrace").forEachLaunch(inImageNamed: "libb.so") { _ in }
    }
    #expect(error?.severity == .nothingRecorded)
    #expect(error?.hint == "the traces have app.rec")
  }
}
