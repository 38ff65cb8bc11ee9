import Foundation
import TestSupport
import Testing
import TraceFormat

/// The product `OrderFileRuntime`, used by a package as an app would.
@Suite(.needs(.compiling)) struct SwiftFaceIntegrations {
  @Test func aPackageThatUsesTheProductMarksAndStops() throws {
    let workshop = try Workshop()
    let sources = workshop.folder.appendingPathComponent("Sources/app")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Workshop.source("face/main.swift"),
      toPath: sources.appendingPathComponent("main.swift").path)
    let manifest = """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "app",
        dependencies: [.package(name: "orderfile", path: "\(Workshop.package.path)")],
        targets: [
          .executableTarget(
            name: "app",
            dependencies: [.product(name: "OrderFileRuntime", package: "orderfile")])
        ])
      """
    try Data(manifest.utf8).write(to: URL(fileURLWithPath: workshop.path("Package.swift")))
    let coverage = "func,trace-pc-guard,pc-table"
    let instrument = ["-sanitize=fuzzer", "-sanitize-coverage=\(coverage)"]
      .flatMap { ["-Xswiftc", "-Xfrontend", "-Xswiftc", $0] }
    try workshop.make(
      "swift",
      ["build", "--package-path", workshop.folder.path, "--product", "app", "-Xswiftc", "-O"]
        + instrument + ["-Xcc", "-fsanitize-coverage=\(coverage)"])
    let program = workshop.path(".build/debug/app")

    #expect(try workshop.run(program).status == 0)
    #expect(try workshop.files() == [])
    #expect(try workshop.record(program).status == 0)
    let trace = try workshop.trace()
    #expect(trace.header.state == .stoppedByCall)
    #expect(trace.marks == ["first screen", "second screen 1"])
    var names = FunctionNames(workshop)
    let functions = try names.names(trace)
    func position(_ part: String) -> Int? { functions.firstIndex { $0.contains(part) } }
    #expect(try #require(position("3app6before")) < #require(position("3app7between")))
    #expect(try #require(position("3app7between")) < #require(position("3app5after")))
    #expect(position("3app4late") == nil)
    // The Swift interface is recorded like any other function; the recorder below it is not.
    #expect(position("OrderFileRuntime") != nil || position("0aB0O4mark") != nil)
    #expect(functions.filter { $0.hasPrefix("of_") || $0.hasPrefix("orderfile_rt") } == [])
  }
}
