import Foundation
import TestSupport
import Testing

/// Scripts/check-darwin.py, on a small package with two targets.
@Suite(.needs("python3", "swift", .appleSDK, .processes, .time)) struct DarwinCheckTests {
  private static let script = projectFolder.appendingPathComponent("Scripts/check-darwin.py").path

  private static func package() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "small", platforms: [.macOS("14")],
        targets: [
          .target(name: "Low", swiftSettings: [.treatAllWarnings(as: .error)]),
          .target(name: "High", dependencies: ["Low"]),
        ])
      """.utf8, "Package.swift")
    for name in ["Low", "High"] {
      try FileManager.default.createDirectory(
        at: workshop.folder.appendingPathComponent("Sources/\(name)"),
        withIntermediateDirectories: true)
    }
    try workshop.write(
      "import Low\npackage let high: Void = low()\n".utf8, "Sources/High/High.swift")
    return workshop
  }

  /// A source with a function in a branch for Darwin for each of `bodies`, from line 3 on.
  private static func low(_ bodies: [String]) -> String {
    let functions = bodies.enumerated().map { "  package func low\($0)() -> Int32 { \($1) }" }
    return """
      #if canImport(Darwin)
        import Darwin
      \(functions.joined(separator: "\n"))
      #endif
      package func low() {}
      """
  }

  @Test func anErrorInABranchForDarwinFailsTheCheck() throws {
    let workshop = try Self.package()
    let correct = ["open(String(), O_RDONLY | O_EVTONLY) + errno", "Int32(fcntl(0, F_RDADVISE))"]
    let wrong = [
      ("errno + 1.5", "cannot convert value of type 'Double' to expected argument type 'Int32'"),
      ("prctl(0)", "cannot find 'prctl' in scope"),
      ("Int32([0].span.count)", "'span' is only available in macOS 26.0 or newer"),
      ("let unused = 0; return 1", "initialization of immutable value 'unused' was never used"),
    ]
    func check(_ bodies: [String]) throws -> ToolResult {
      try workshop.write(Self.low(bodies).utf8, "Sources/Low/Low.swift")
      return try workshop.run("python3", [Self.script, workshop.folder.path])
    }
    let run = try check(correct)
    #expect(run.status == 0, "\(run.output)")

    let failure = try check(correct + wrong.map(\.0))
    #expect(failure.status == 1)
    for (number, (_, error)) in wrong.enumerated() {
      let line = failure.output.split(separator: "\n").first { $0.contains("error: \(error)") }
      #expect(
        line?.contains("Sources/Low/Low.swift:\(3 + correct.count + number):") == true,
        "\(failure.output)")
    }
    #expect(failure.output.contains("not checked, because of these: High"))
  }

  @Test func aTargetIsCheckedAgainIfADependencyChanges() throws {
    let workshop = try Self.package()
    let result = workshop.folder.appendingPathComponent(".build/darwin/High.swiftmodule")
    func check(_ source: String) throws -> (status: Int32, isChecked: Bool) {
      try? FileManager.default.removeItem(at: result)
      try workshop.write(source.utf8, "Sources/Low/Low.swift")
      let run = try workshop.run("python3", [Self.script, workshop.folder.path])
      return (run.status, FileManager.default.fileExists(atPath: result.path))
    }
    #expect(try check("package func low() {}") == (0, true))
    #expect(try check("package func low() {}") == (0, false))
    #expect(try check("package func low() { print() }") == (0, true))
    #expect(try check("package func low(_ number: Int) {}") == (1, false))
  }
}
