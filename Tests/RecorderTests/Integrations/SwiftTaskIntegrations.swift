import Foundation
import TestSupport
import Testing

/// Start-up tasks in Swift: the product `OrderFileTasks`, and the limits that docs/how-to/TASKS.md states.
@Suite(.needs(.compiling, "swiftc")) struct SwiftTaskIntegrations {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func write(_ text: String, _ name: String) throws {
    let file = URL(fileURLWithPath: workshop.path(name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func task(_ name: String, _ function: String) -> String {
    """
    @section("orderfile_tasks") @used let \(name)Task: OrderFileTasks.Task = (
      version: 1, size: 96, priority: 0, function: \(function), flags: 0,
      stage: \(SwiftTaskTests.words("first screen", 7, size: 4)),
      name: \(SwiftTaskTests.words(name, 6, size: 8)))

    """
  }

  /// The program and a library of the package have tasks, and the library's function is of the main actor.
  @Test(arguments: ["debug", "release"])
  func aPackageRunsTheTasksOfItsTargets(configuration: String) throws {
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let orderfile = Target.Dependency.product(name: "OrderFileTasks", package: "orderfile")
      let package = Package(
        name: "app",
        dependencies: [.package(name: "orderfile", path: "\(Workshop.package.path)")],
        targets: [
          .target(name: "Screen", dependencies: [orderfile]),
          .executableTarget(name: "app", dependencies: ["Screen", orderfile]),
        ])
      """, "Package.swift")
    try write(
      "import OrderFileTasks\n@MainActor func show() { print(\"screen\") }\n"
        + "@MainActor public func link() {}\n"
        + task("screen", "{ MainActor.assumeIsolated { show() } }"), "Sources/Screen/Screen.swift")
    try write(
      "import OrderFileTasks\nimport Screen\nenum Database { static func open() { print(\"database\") } }\n"
        + task("database", "{ Database.open() }")
        + "@main struct App { static func main() { print(OrderFileTasks.run(\"first screen\")) } }\n",
      "Sources/app/App.swift")
    try workshop.make(
      "swift",
      ["build", "--package-path", workshop.folder.path, "--product", "app", "-c", configuration])
    let ended = try workshop.run(workshop.path(".build/\(configuration)/app"))
    #expect(ended.status == 0 && ended.errors == "")
    #expect(ended.text == "database\nscreen\n2\n")
  }

  /// Each row of the table in TASKS.md is a declaration and the compiler's message.
  @Test func eachStatedLimitIsTheCompilers() throws {
    let page = try String(
      contentsOf: Workshop.package.appendingPathComponent("docs/how-to/TASKS.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `let ") }
      .map { $0.split(separator: "`", omittingEmptySubsequences: false).map(String.init) }
    #expect(rows.count >= 8)
    let known = """
      func openDatabase() {}
      enum Database { static func open() {} }
      @MainActor func show() {}
      struct Name { var word: UInt64 }
      let screen: UInt32 = 0x7372_6966
      """
    for row in rows {
      try write(known + "\n@section(\"orderfile_tasks\") @used \(row[1])\n", "limit.swift")
      let ended = try workshop.run(
        "swiftc",
        ["-swift-version", "6", "-parse-as-library", "-c", workshop.path("limit.swift"), "-o"]
          + [workshop.path("limit.o")])
      #expect(
        ended.status == 1 && ended.errors.contains("error: \(row[3])\n"), "\(row)\n\(ended.errors)")
    }
  }
}
