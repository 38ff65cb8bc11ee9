import Foundation
import TestSupport
import Testing
import TraceFormat

/// The helper for UI tests, with a stand-in for Apple's XCTest: the real one is only in Xcode.
@Suite(.needs(.compiling, "swiftc", .time)) struct UITestIntegrations {
  /// Compiles the helper and a test that uses it, and returns the path of the test.
  private static func build(in workshop: Workshop) throws -> String {
    let helper = Workshop.package.appendingPathComponent(
      "Examples/iOSApp/UITests/LaunchRecording.swift"
    ).path
    try workshop.make(
      "swiftc",
      [
        "-emit-module", "-emit-library", "-static", "-parse-as-library", "-module-name", "XCTest",
        Workshop.source("uitest/XCTest.swift"), "-emit-module-path",
        workshop.path("XCTest.swiftmodule"), "-o", workshop.path("libXCTest.a"),
      ])
    let test = workshop.path("test")
    try workshop.make(
      "swiftc",
      [
        "-swift-version", "6", "-warnings-as-errors", "-I", workshop.folder.path, helper,
        Workshop.source("uitest/main.swift"), workshop.path("libXCTest.a"), "-o", test,
      ])
    return test
  }

  @Test func theTraceIsAttachedWhenTheAppSetsTheMark() throws {
    let workshop = try Workshop()
    let test = try Self.build(in: workshop)
    let marked = try workshop.build(
      "marked", from: ["uitest/app.c"], flags: ["-O1"])
    let none = try workshop.build(
      "none", from: ["uitest/app.c"], flags: ["-O1"], coverage: [], recorder: nil)
    func run(_ program: String, _ mark: String, _ options: String...) throws -> String {
      try workshop.run(
        test, [program, mark, workshop.path("attached")] + options,
        environment: ["TMPDIR": workshop.folder.path]
      ).text
    }
    #expect(try run(marked, "first screen") == "100%.oftrace\n")
    let trace = try workshop.trace("attached")
    #expect(trace.header.state == .stoppedByMark && GrowingTrace.stateOffset == 28)
    #expect(
      try run(marked, "another", "ended").hasPrefix(
        "the app did not set the mark 'another' in time"))
    #expect(try run(none, "first screen", "ended").hasPrefix("the app wrote no trace"))
  }
}
