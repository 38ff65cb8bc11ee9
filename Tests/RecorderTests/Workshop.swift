import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

/// A folder of one test, in which programs are built, launched and recorded. It is removed with this value.
final class Workshop: TestFolder {
  let folder: URL

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("recorder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The absolute path of `name` in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: true)
    return path(name)
  }

  /// The top of the source tree.
  static let package = fixturesFolder.deletingLastPathComponent().deletingLastPathComponent()

  static func source(_ name: String) -> String {
    fixturesFolder.appendingPathComponent("recorder/\(name)").path
  }

  static let includes = ["Recorder", "TraceFormat", "InProcess"].map {
    "-I" + package.appendingPathComponent("Runtime/\($0)/include").path
  }

  /// The recorder's files. Each file of a system is empty for the others.
  static let runtimeSources: [String] = {
    let folder = package.appendingPathComponent("Runtime/Recorder")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".c") }.sorted().map {
      folder.appendingPathComponent($0).path
    }
  }()

  /// The path of `orderfile_rt.o`, which is built once for all tests.
  static let runtime: Result<String, any Error> = Result {
    let made = try launch("make", ["-s", "runtime"], in: package, environment: [:])
    guard made.status == 0 else { throw Failure(description: made.errors) }
    return package.appendingPathComponent(".build/runtime/orderfile_rt.o").path
  }
}

// MARK: launching

/// Finds `tool` in the search path, unless it is a path.
func findTool(_ tool: String) -> String? { tool.contains("/") ? tool : toolPath(tool) }

/// Launches `tool` and waits for its end.
private func launch(
  _ tool: String, _ arguments: [String], in folder: URL, environment: [String: String]
) throws -> Run {
  guard let executable = findTool(tool) else {
    throw Workshop.Failure(description: "no '\(tool)' on this machine")
  }
  let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
  return try RunningProcess(
    executable, Tool.arguments(arguments, of: tool), in: folder,
    environment: inherited.merging(environment) { $1 }
  ).end()
}

extension Workshop {
  func run(
    _ tool: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> Run {
    try launch(tool, arguments, in: folder, environment: environment)
  }

  /// Runs a tool that must succeed.
  @discardableResult
  func make(_ tool: String, _ arguments: [String]) throws -> Run {
    let ended = try run(tool, arguments)
    guard ended.status == 0 else {
      throw Failure(description: "\(tool) \(arguments.joined(separator: " "))\n\(ended.errors)")
    }
    return ended
  }
}

// MARK: building

extension Workshop {
  static let instrumented = ["-fsanitize-coverage=func,trace-pc-guard,pc-table"]

  static let sanitizingClang = Tool.sanitizingClang

  /// The objects that compilers have made of fixtures, by the command without its output path.
  private static let objects = Memo<[String], Data>()

  /// Compiles the recorder's files one by one, and returns the objects.
  func compileRecorder(_ compiler: String, flags: [String]) throws -> [String] {
    try Self.runtimeSources.enumerated().map { index, source in
      let object = path("runtime.\(index).o")
      try make(
        compiler, flags + Self.includes + ["-std=c11", "-fPIC", "-c", source, "-o", object])
      return object
    }
  }

  /// Compiles the recorder's files as one unit, in a third of the time, and returns the object.
  func compileWholeRecorder(_ compiler: String, flags: [String]) throws -> String {
    let (unit, object) = (path("runtime.c"), path("runtime.whole.o"))
    let text =
      "#define _GNU_SOURCE\n" + Self.runtimeSources.map { "#include \"\($0)\"\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: unit))
    let folder = Self.package.appendingPathComponent("Runtime/Recorder").path
    try make(
      compiler,
      flags + Self.includes + ["-I", folder, "-std=c11", "-fPIC", "-c", unit, "-o", object])
    return object
  }

  /// Compiles and links C fixtures by clang; `recorder` is the object linked last, `nil` for none.
  @discardableResult
  func build(
    _ name: String, from sources: [String], flags: [String] = ["-O1"],
    coverage: [String] = instrumented, links: [String] = [], recorder: String?,
    compiler: String = "clang"
  ) throws -> String {
    var objects: [String] = []
    for (index, source) in sources.enumerated() {
      let object = path("\(name).\(index).o")
      let command =
        flags + coverage + Self.includes + ["-g0", "-fPIC", "-c", Self.source(source)]
      let made = try Self.objects.value(for: [compiler] + command) {
        try make(compiler, command + ["-o", object])
        return try Data(contentsOf: URL(fileURLWithPath: object))
      }
      try made.write(to: URL(fileURLWithPath: object))
      objects.append(object)
    }
    try make(
      compiler,
      flags + ["-fuse-ld=lld", "-Wl,--build-id", "-pthread"] + objects
        + (recorder.map { [$0] } ?? []) + links + ["-o", path(name)])
    return path(name)
  }

  /// Compiles and links C fixtures with the recorder as it is delivered.
  @discardableResult
  func build(
    _ name: String, from sources: [String], flags: [String] = ["-O1"],
    coverage: [String] = instrumented, links: [String] = []
  ) throws -> String {
    try build(
      name, from: sources, flags: flags, coverage: coverage, links: links,
      recorder: try Self.runtime.get())
  }
}

// MARK: reading

extension Workshop {
  func trace(_ name: String = "trace") throws -> TraceFile {
    try TraceFile(parsing: FileBytes(path: path(name)))
  }

  /// The files in the folder whose names begin with `prefix`, sorted.
  func files(_ prefix: String = "trace") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// All traces in the folder, by the number of the process that wrote them.
  func traces() throws -> [UInt32: TraceFile] {
    var byProcess: [UInt32: TraceFile] = [:]
    let names = try files()
    for name in names {
      let file = try trace(name)
      #expect(byProcess[file.header.pid] == nil, "two traces of one process: \(names)")
      byProcess[file.header.pid] = file
    }
    return byProcess
  }

  /// Launches `program`, recorded to `trace`, and returns its end and its output.
  func record(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> Run {
    try run(
      program, arguments,
      environment: ["ORDERFILE_TRACE": path("trace")].merging(environment) { $1 })
  }
}
