import CommandSupport
import ImageModel
import ProcessLaunch
import Recording
import Reports
import TestSupport
import Testing

/// Launches that leave traces. Launches with breakpoints are tested through the command.
@Suite(.needs(.processes)) struct LaunchRecordingTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  /// Records a shell that runs `script`, as a program that records itself.
  private func record(_ script: String, timeout: Double? = nil) throws -> RecordedLaunch {
    try LaunchRecording(
      .recorder(ProgramLaunch(command: ["/bin/sh", "-c", script], timeout: timeout)),
      outputPath: builds.path("out.oftrace"), in: LaunchEnvironment(searchPath: "/bin:/usr/bin")
    ).run()
  }

  private var leftovers: [String] {
    get throws { try names().filter { $0.contains("recording") || $0.contains(".orderfile.") } }
  }

  private func names() throws -> [String] {
    try Tool("ls").map { try $0.run(["-a", builds.workshop.folder.path]) }?
      .split(separator: "\n").map(String.init) ?? []
  }

  @Test func theTraceThatAProgramLeavesIsSealedAndPutInItsPlace() throws {
    try builds.writeTrace("left", of: "app.rec", used: SampleBuilds.used, isSealed: false)
    let recorded = try record("cp '\(builds.path("left"))' \"$ORDERFILE_TRACE\"")
    #expect(recorded.end == .exited(0))
    #expect(recorded.failure == nil)
    #expect(recorded.paths == [builds.path("out.oftrace")])
    let trace = try #require(recorded.traces.first)
    #expect(trace.isSealed)
    #expect(trace.hits.count == 4)
    let shown = try ShownFile(path: builds.path("out.oftrace"))
    guard case .trace(let report) = shown.contents else {
      Issue.record("\(shown.contents)")
      return
    }
    #expect(report.hitNames.map { "\($0.first ?? SymbolName(""))" } == SampleBuilds.used)
    #expect(try leftovers.isEmpty)
  }

  @Test func tracesOfOtherProcessesGoBesideIt() throws {
    try builds.writeTrace("left", of: "app.rec", used: SampleBuilds.used, isSealed: false)
    let copy = "cp '\(builds.path("left"))' \"$ORDERFILE_TRACE"
    let recorded = try record("\(copy)\" && \(copy).7\"")
    #expect(recorded.paths == [builds.path("out.oftrace"), builds.path("out.oftrace.7")])
    #expect(builds.bytes("out.oftrace.7") != nil)
  }

  @Test func aTraceThatCantBeReadIsWarnedOf() throws {
    let recorded = try record("echo nonsense >\"$ORDERFILE_TRACE\"")
    #expect(recorded.warnings.count == 1)
    #expect(recorded.failure?.severity == .nothingRecorded)
  }

  @Test func aProgramThatRecordsNothingIsAFailureUnlessItFailsItself() throws {
    let silent = try record("true")
    #expect(silent.failure?.severity == .nothingRecorded)
    #expect(silent.traces.isEmpty && silent.warnings.isEmpty)
    let failing = try record("exit 3")
    #expect(failing.failure == nil)
    #expect(failing.end == .exited(3))
    #expect(failing.warnings.map(\.severity) == [.nothingRecorded])
    #expect(builds.bytes("out.oftrace") == nil)
    #expect(try leftovers.isEmpty)
  }

  @Test func theRecorderIsToldWhereTheLaunchEnds() throws {
    var recording = LaunchRecording(
      .recorder(
        ProgramLaunch(command: [
          "/bin/sh", "-c",
          "test \"$ORDERFILE_STOP_AT:$ORDERFILE_STOP_AFTER_MS\" = ready:250 || exit 9",
        ])), outputPath: builds.path("out.oftrace"),
      in: LaunchEnvironment(searchPath: "/bin:/usr/bin"))
    recording.stopAt = "ready"
    recording.stopAfter = 250
    #expect(try recording.run().end == .exited(0))
  }

  @Test func aProgramThatIsNotThereCantBeRun() {
    let error = diagnostic {
      _ = try LaunchRecording(
        .recorder(ProgramLaunch(command: [builds.path("nowhere")])),
        outputPath: builds.path("out.oftrace"), in: LaunchEnvironment(searchPath: "/bin:/usr/bin")
      ).run()
    }
    #expect(error?.context == [builds.path("nowhere")])
    #expect(error?.message == "unable to run: No such file or directory")
  }

  @Test func anOutputThatCantBeWrittenIsFoundBeforeTheLaunch() {
    let error = diagnostic {
      _ = try LaunchRecording(
        .recorder(ProgramLaunch(command: ["/bin/sh", "-c", "touch '\(builds.path("ran"))'"])),
        outputPath: builds.path("missing/out.oftrace"),
        in: LaunchEnvironment(searchPath: "/bin:/usr/bin")
      ).run()
    }
    #expect(error?.message == "unable to write: No such file or directory")
    #expect(builds.bytes("ran") == nil)
  }
}
