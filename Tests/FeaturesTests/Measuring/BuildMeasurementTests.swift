import CommandSupport
import Foundation
import ImageModel
import Measuring
import TestSupport
import Testing

/// Requests that a measurement refuses, and the commands that it launches. A measured launch kills processes that this
/// process has left running, so tests of launches run the command in a process of its own.
@Suite struct BuildMeasurementTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds() }

  private func writeProgram(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    try builds.workshop.write(bytes, name)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: builds.path(name))
  }

  private func command(_ text: String, _ arguments: [String] = []) throws -> MeasuredCommand {
    try MeasuredCommand(
      text, arguments, option: "--before",
      in: LaunchEnvironment(searchPath: "/nowhere:\(builds.workshop.folder.path)"))
  }

  @Test func aFileIsLaunchedAsItIsAlsoIfItsNameHasBlanks() throws {
    try writeProgram("my app", sampleImage(["main"], id: [1]))
    let command = try command(builds.path("my app"), ["-x"])
    #expect(command.path == builds.path("my app"))
    #expect(command.arguments == [builds.path("my app"), "-x"])
    #expect(command.warning == nil)
  }

  @Test func wordsAreACommandOfTheSearchPath() throws {
    try writeProgram("app", sampleImage(["main"], id: [1]))
    let command = try command("app 'a b' c", ["-x"])
    #expect(command.path == builds.path("app"))
    #expect(command.arguments == ["app", "a b", "c", "-x"])
  }

  @Test func aScriptIsWarnedOf() throws {
    try writeProgram("script", "#!/bin/sh\n".utf8)
    let script = try command("script")
    #expect(script.warning?.hint == "name the image with --also")
    #expect(MeasuredCommand.warnings(script, script).count == 1)
    try writeProgram("other", "#!/bin/sh\n".utf8)
    #expect(MeasuredCommand.warnings(script, try command("other")).count == 2)
  }

  @Test func aProgramThatIsMissingOrCantBeRunIsRefused() throws {
    try builds.write("", "plain")
    for (text, message) in [
      ("nowhere -x", "unable to run: No such file or directory"), ("", "missing the program"),
      ("app | cat", "unsupported '|' in a command: it runs without a shell"),
      (builds.path("plain"), "unable to run: Permission denied"),
    ] {
      let error = diagnostic { _ = try command(text) }
      #expect(error?.message == message)
      #expect(error?.context.first == "--before")
    }
  }

  @Test func anInputThatCantBeReadIsRefusedBeforeAnyLaunch() {
    var measurement = BuildMeasurement(
      before: "nowhere", after: "nowhere", in: LaunchEnvironment(searchPath: nil))
    measurement.conditions.inputPath = builds.path("input")
    let error = diagnostic { _ = try measurement.run { _ in Issue.record("launched") } }
    #expect(error == Diagnostic("No such file or directory", context: [builds.path("input")]))
  }
}
