import ByteReading
import Foundation
import TestSupport
import Testing
import TraceFormat

/// A folder of one test's own, removed with it, in which programs are built, launched and recorded.
final class Workshop: Sendable {
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

  static let includes = ["Recorder", "TraceFormat"].map {
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

  /// `orderfile_rt.o`, built once for all tests.
  static let runtime: Result<String, any Error> = Result {
    let made = try launch("make", ["-s", "runtime"], in: package, environment: [:], timeout: 120)
    guard made.status == 0 else { throw Failure(description: made.errors) }
    return package.appendingPathComponent(".build/runtime/orderfile_rt.o").path
  }
}

// MARK: launching

/// What came of a process.
struct Ended {
  let pid: Int32
  /// Its exit code, or 128 + the signal that ended it.
  let status: Int32
  let output: String
  let errors: String
}

/// Finds `tool` in the search path, unless it is a path.
func findTool(_ tool: String) -> String? { tool.contains("/") ? tool : toolPath(tool) }

/// Launches `tool` and waits for its end; kills it after `timeout` seconds and throws.
private func launch(
  _ tool: String, _ arguments: [String], in folder: URL, environment: [String: String],
  timeout: Double
) throws -> Ended {
  guard let executable = findTool(tool) else {
    throw Workshop.Failure(description: "no '\(tool)' on this machine")
  }
  let streams = FileManager.default.temporaryDirectory
    .appendingPathComponent("recorder-streams-\(UUID().uuidString)").path
  defer {
    for end in [".out", ".err"] { try? FileManager.default.removeItem(atPath: streams + end) }
  }
  let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
  let pid = try spawn(
    ["env", "-C", folder.path, executable] + arguments,
    environment: inherited.merging(environment) { $1 }, output: streams + ".out",
    errors: streams + ".err")
  let deadline = Date() + timeout
  var status: Int32 = 0
  while waitpid(pid, &status, WNOHANG) == 0 {
    if Date() > deadline {
      kill(pid, SIGKILL)
      waitpid(pid, &status, 0)
      throw Workshop.Failure(description: "'\(tool) \(arguments)' ran over \(timeout) s")
    }
    usleep(500)
  }
  func text(_ end: String) -> String {
    String(decoding: FileManager.default.contents(atPath: streams + end) ?? Data(), as: UTF8.self)
  }
  let signal = status & 0x7f
  return Ended(
    pid: pid, status: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: text(".out"),
    errors: text(".err"))
}

/// Starts a program in `env(1)`, with nothing to read. Not Foundation's `Process`, whose `run()` was seen to
/// read past a mapping where many threads launch at once.
private func spawn(
  _ words: [String], environment: [String: String], output: String, errors: String
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  for (stream, path) in [(1, output), (2, errors)] {
    posix_spawn_file_actions_addopen(
      &actions, Int32(stream), path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  }
  for other in 3..<256 { posix_spawn_file_actions_addclose(&actions, Int32(other)) }
  // Tests run on threads that block signals.
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  var arguments = words.map { strdup($0) } + [nil]
  var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for copy in arguments + variables { free(copy) } }
  var pid: pid_t = 0
  let error = posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, &arguments, &variables)
  guard error == 0 else {
    throw Workshop.Failure(description: "\(words): \(String(cString: strerror(error)))")
  }
  return pid
}

extension Workshop {
  func run(
    _ tool: String, _ arguments: [String] = [], environment: [String: String] = [:],
    timeout: Double = 60
  ) throws -> Ended {
    try launch(tool, arguments, in: folder, environment: environment, timeout: timeout)
  }

  /// Runs a tool that must succeed.
  @discardableResult
  func make(_ tool: String, _ arguments: [String]) throws -> Ended {
    let ended = try run(tool, arguments, timeout: 120)
    guard ended.status == 0 else {
      throw Failure(description: "\(tool) \(arguments.joined(separator: " "))\n\(ended.errors)")
    }
    return ended
  }
}

// MARK: building

extension Workshop {
  static let instrumented = ["-fsanitize-coverage=func,trace-pc-guard,pc-table"]

  /// The clang that comes with `libclang-rt-dev`: the Swift toolchain's own needs libdispatch for TSan.
  static let sanitizingClang =
    (14...30).reversed().map { "/usr/bin/clang-\($0)" }
    .first(where: FileManager.default.isExecutableFile) ?? "clang"

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
      try make(
        compiler,
        flags + coverage + Self.includes
          + ["-g0", "-fPIC", "-c", Self.source(source), "-o", object])
      objects.append(object)
    }
    try make(
      compiler,
      flags + ["-fuse-ld=lld", "-Wl,--build-id", "-pthread"] + objects
        + (recorder.map { [$0] } ?? []) + links + ["-o", path(name)])
    return path(name)
  }

  /// The same with the recorder as it is delivered.
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

  /// Launches `program`, recorded to `trace`, and returns what came of it.
  func record(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> Ended {
    try run(
      program, arguments,
      environment: ["ORDERFILE_TRACE": path("trace")].merging(environment) { $1 })
  }
}
