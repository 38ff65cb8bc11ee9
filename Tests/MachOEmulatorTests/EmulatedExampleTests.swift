import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

/// Examples/Tasks as a program for iOS: its tasks run in the same order as on Linux.
@Suite(.needs(.machOEmulator, "clang")) struct EmulatedExampleTests {
  private static let example = projectFolder.appendingPathComponent("Examples/Tasks")
  private static let sources = ["main.c", "storage.c", "network.c", "screen.c"]
  private static let headers = ["Tasks", "Recorder"].map {
    "-I" + projectFolder.appendingPathComponent("Runtime/\($0)/include").path
  }
  /// The tasks that `run.sh` postpones.
  private static let postponed = ["map", "push", "search index", "statistics"]

  /// A folder with the sources of the example.
  private static func workshop(isPostponed: Bool) throws -> Workshop {
    let workshop = try Workshop()
    for name in sources + ["work.h"] {
      var text = try String(contentsOf: example.appendingPathComponent(name), encoding: .utf8)
      for task in isPostponed ? postponed : [] {
        text = text.replacing(
          "\"first screen\", \"\(task)\"", with: "\"after first screen\", \"\(task)\"")
      }
      try workshop.write(text.utf8, name)
    }
    return workshop
  }

  /// Builds the example for Linux, and returns its output and the marks of its trace.
  private static func launchOnLinux(in workshop: Workshop) throws -> (output: String, [String]) {
    func must(_ tool: String, _ arguments: [String]) throws -> String {
      let ended = try workshop.run(tool, arguments)
      try #require(ended.status == 0, "\(tool): \(ended.output)")
      return ended.output
    }
    _ = try must("make", ["-s", "-C", projectFolder.path, "runtime"])
    let objects = ["tasks", "rt"].map {
      projectFolder.appendingPathComponent(".build/runtime/orderfile_\($0).o").path
    }
    _ = try must(
      "clang",
      ["-O1", "-fuse-ld=lld", "-fsanitize-coverage=func,trace-pc-guard,pc-table"] + headers
        + sources + objects + ["-o", "app"])
    let output = try must("env", ["ORDERFILE_TRACE=linux.oftrace", "./app"])
    let path = workshop.folder.appendingPathComponent("linux.oftrace").path
    return (output, try TraceFile(parsing: FileBytes(path: path)).marks)
  }

  /// Builds the example for iOS, and returns its output, the marks of its trace, and the functions that ran.
  private static func launchOnIOS(
    in workshop: Workshop
  ) throws -> (output: String, marks: [String], functions: [String]) {
    let sdk = try AppleSDK()
    for source in sources {
      try sdk.compileInstrumented(
        source, to: source + ".o", for: .iOS, flags: headers, in: workshop)
    }
    let tasks = try AppleSDK.deliveredRecorders().appendingPathComponent(
      "iphoneos/orderfile_tasks.o")
    try sdk.link(
      sources.map { $0 + ".o" } + [tasks.path, sdk.recorder(for: .iOS)], to: "app", for: .iOS,
      flags: ["-dead_strip"], in: workshop)
    let program = RecordedProgram(in: workshop)
    let run = try program.record()
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    return (run.output, try program.trace().marks, run.report.functionNames)
  }

  /// The marks of a stage whose tasks ran one after the other.
  private static func marks(_ tasks: [String], of stage: String) -> [String] {
    tasks.flatMap { ["begin task \($0) of \(stage)", "end task \($0) of \(stage)"] }
  }

  @Test(arguments: [
    (false, "12 tasks before the first screen, 0 after it\n"),
    (true, "8 tasks before the first screen, 4 after it\n"),
  ])
  func tasksRunOnIOSInTheOrderOfLinux(isPostponed: Bool, output: String) throws {
    let workshop = try Self.workshop(isPostponed: isPostponed)
    let linux = try Self.launchOnLinux(in: workshop)
    let ios = try Self.launchOnIOS(in: workshop)
    #expect(ios.output == output && linux.output == output)
    let others = [
      "migration", "cache", "database", "fonts", "images", "map", "menu", "push", "search index",
      "session", "settings", "statistics",
    ].filter { !isPostponed || !Self.postponed.contains($0) }
    #expect(
      ios.marks == Self.marks(others, of: "first screen") + ["first screen"]
        + (isPostponed ? Self.marks(Self.postponed, of: "after first screen") : []))
    #expect(ios.marks == linux.1)
    // The code of the tasks ran in this order, too: `map` before `settings`, unless `map` is postponed.
    let map = try #require(ios.functions.firstIndex(of: "_warm_map_read"))
    let settings = try #require(ios.functions.firstIndex(of: "_read_settings_read"))
    #expect(isPostponed ? settings < map : map < settings)
  }
}
