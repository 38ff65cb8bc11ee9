import Foundation
import TestSupport
import Testing

/// The programs and files that were built for these tests.
enum Built {
  /// The path of the command, which is beside the test bundle.
  static let orderfile: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("orderfile")
      .path
  }()

  /// The recorder as one object, made by the makefile.
  static let recorder: String? = {
    guard let make = Tool("make"), toolPath("clang") != nil, toolPath("objcopy") != nil,
      (try? make.run(["-s", "-C", projectFolder.path, "runtime"])) != nil
    else { return nil }
    return projectFolder.appendingPathComponent(".build/runtime/orderfile_rt.o").path
  }()

  /// The scripts that fetch, build and launch the sqlite3 shell.
  static let sqliteBenchmark = projectFolder.appendingPathComponent("Benchmarks/sqlite")

  /// The folder with the recorder's header.
  static let headers = projectFolder.appendingPathComponent("Runtime/Recorder/include").path
}

extension Requirement {
  /// The requirement that programs can be instrumented and linked on this machine.
  static let recording = Requirement("make, clang, objcopy, ld.lld and nm") {
    Built.recorder != nil && toolPath("ld.lld") != nil && toolPath("nm") != nil
  }
}

extension Workshop {
  /// Compiles the C program `source`, and links it as `app`, with an image ID.
  func makeApp(_ source: String) throws {
    try write(source.utf8, "main.c")
    try must("clang", ["-O1", "-w", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
  }

  /// The folder with sqlite3.c and shell.c, from the benchmarks' source package.
  func sqliteSources() throws -> Substring {
    let script = Built.sqliteBenchmark.appendingPathComponent("sources.sh").path
    return try #require(try start(script, []).end().text.split(separator: "\n").last)
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func bytes(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: path(name)) ?? Data())
  }

  func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  /// The names of the files in the folder, ascending.
  var fileNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  func start(
    _ tool: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> RunningProcess {
    let path = tool.contains("/") ? tool : toolPath(tool) ?? path(tool)
    return try RunningProcess(
      path, arguments, in: folder, input: input,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
  }

  /// Runs the command to its end.
  func orderfile(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> Run {
    try orderfile(arguments, input: input, environment: environment)
  }

  func orderfile(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> Run {
    let run = try start(Built.orderfile, arguments, input: input, environment: environment).end()
    try CommandHints.check(run, of: arguments)
    return run
  }

  /// Runs a tool that must succeed.
  @discardableResult
  func must(
    _ tool: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    let run = try start(tool, arguments).end()
    try #require(
      run.status == 0, "\(tool) \(arguments.joined(separator: " ")): \(run.text)\(run.errors)",
      sourceLocation: sourceLocation)
    return run
  }

  /// Runs the command, which must succeed.
  @discardableResult
  func mustOrderfile(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    try must(Built.orderfile, arguments, sourceLocation: sourceLocation)
  }

  @discardableResult
  func mustOrderfile(
    _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    try must(Built.orderfile, arguments, sourceLocation: sourceLocation)
  }
}
