import ByteReading
import CommandSupport
import ImageModel
import ProcessLaunch

/// Converts LLVM's binary profiles to text: `llvm-profdata merge --text`.
///
/// A profile can be read by the version of llvm-profdata that belongs to its compiler, and by newer versions.
/// Distributions install several versions, `llvm-profdata-19` and `llvm-profdata-22`, and the tool without a number
/// need not be the newest.
package struct TemporalProfileConverter {
  /// The name or path of the tool; `nil` tries the tools in `PATH` until one can read the profile.
  private let tool: String?
  private let environment: LaunchEnvironment

  package init(tool: String? = nil, _ environment: LaunchEnvironment) {
    self.tool = tool
    self.environment = environment
  }

  private static let name = "llvm-profdata"
  /// The versions that are looked up by number. Newer versions are found under the name without a number.
  private static let versions = (15...40).reversed()

  /// Returns the profiles merged into one, with all traces of each profile in full.
  ///
  /// - Throws: an error with the messages of all tools, if no tool can read all profiles.
  package func text(of paths: [String]) throws(Diagnostic) -> FileBytes {
    for path in paths {
      if path == "-" {
        throw Diagnostic(
          "unable to convert: expected a file, found stdin", context: [path],
          hint: "for a profile in the text format: orderfile import proftext -")
      }
      _ = try InputFile.bytes(path)
    }
    let candidates = tool.map { [$0] } ?? ([Self.name] + Self.versions.map { "\(Self.name)-\($0)" })
    let folder = try TemporaryFolder(in: environment)
    var failures: [String] = []
    for candidate in candidates where tool != nil || environment.has(candidate) {
      let program = try environment.program(named: candidate)
      switch try run(program, on: paths, in: folder) {
      case .success(let bytes): return bytes
      case .failure(let failure): failures.append("\(program): \(failure.reason)")
      }
    }
    guard !failures.isEmpty else {
      throw Diagnostic(
        "unable to convert: \(Self.name) is not installed", context: [paths[0]],
        hint: "install LLVM of the compiler's version, or name the tool with --llvm-profdata")
    }
    throw Diagnostic(
      "unable to convert: \(failures.joined(separator: "; "))", context: [paths[0]],
      hint: "name the llvm-profdata of the compiler that made the profile with --llvm-profdata")
  }

  private struct Failure: Error { var reason: String }

  private func run(
    _ program: String, on paths: [String], in folder: TemporaryFolder
  ) throws(Diagnostic) -> Result<FileBytes, Failure> {
    let log = ProgramLog(folder.path("messages"))
    let text = folder.path("profile.proftext")
    var launch = ProgramLaunch(
      command: [
        program, "merge", "--text", "--num-threads=1",
        // These options keep all traces. By default, llvm-profdata keeps 100 traces, and 10,000 functions of each
        // trace.
        "--temporal-profile-trace-reservoir-size=1000000",
        "--temporal-profile-max-trace-length=4294967295", "-o", text, "--",
      ] + paths, environment: [("LC_ALL", "C")])
    let ended: String?
    do {
      ended = try log.streams { streams in
        launch.streams = streams
        let result = try launch.run()
        return result.end == .exited(0) ? nil : "\(result.end)"
      }
    } catch {
      return .failure(Failure(reason: "\(error)"))
    }
    if let ended {
      let lines = log.text.split(separator: "\n")
      let said = lines.last { $0.contains("error") || $0.contains("warning") } ?? lines.first
      return .failure(Failure(reason: said.map(String.init) ?? ended))
    }
    // The file is read here, before the temporary folder with the file is removed.
    let bytes = try InputFile.bytes(text)
    return .success(FileBytes(bytes.copy(0..<bytes.count)))
  }
}
