import ByteReading
import CStageTrace
import CommandSupport
import ImageModel
import LaunchLogFormat
import LibC
import ObjectFormat
import ProcessLaunch

/// The library with the stage tracer, which glibc's loader loads into the launched program.
struct StageTracer {
  private let library: String
  private let others: String
  private let folder: TemporaryFolder

  init(in environment: LaunchEnvironment) throws(Diagnostic) {
    library = try OwnLibrary.path("liborderfile-stages.so", product: "orderfile-stages")
    guard !library.contains(":") else {
      throw Diagnostic(
        "unable to use this library: its path contains ':', which LD_AUDIT can't hold",
        context: [library])
    }
    others = environment.auditors
    folder = try TemporaryFolder(in: environment)
  }

  /// Makes the memory that the tracer of one launch writes to.
  func begin() throws(Diagnostic) -> Recording {
    do throws(ProgramLaunch.LaunchError) {
      let descriptor = try SharedFile.createMemory(
        "orderfile-stages", size: UInt64(ORDERFILE_STAGE_MEMORY_SIZE))
      return Recording(
        descriptor: descriptor, output: folder.path("loader"),
        variables: [
          "\(ORDERFILE_STAGES_VARIABLE)=/proc/\(getpid())/fd/\(descriptor)",
          "LD_AUDIT=\(library)\(others.isEmpty ? "" : ":\(others)")", "LD_DEBUG=statistics",
          "LD_DEBUG_OUTPUT=\(folder.path("loader"))",
        ])
    } catch {
      throw Diagnostic("unable to create memory that is shared with the program: \(error)")
    }
  }

  final class Recording {
    private let descriptor: Int32
    private let output: String
    /// The variables for the program's environment.
    let variables: [String]

    init(descriptor: Int32, output: String, variables: [String]) {
      self.descriptor = descriptor
      self.output = output
      self.variables = variables
    }

    deinit { close(descriptor) }

    /// Reads the records that the tracer in the program has written so far.
    func trace() throws(Diagnostic) -> StageTrace {
      let path = "/proc/self/fd/\(descriptor)"
      do {
        return StageTrace(
          try FileBytes(copyOf: path, limit: UInt64(ORDERFILE_STAGE_MEMORY_SIZE)))
      } catch { throw Diagnostic(opening: path, error) }
    }

    /// Reads and removes the statistics that the loader of the process has written; `nil` if it has written none.
    func statistics(ofProcess number: Int32) -> LoggedLaunch? {
      let path = "\(output).\(number)"
      guard let bytes = try? FileBytes(path: path) else { return nil }
      unlink(path)
      return try? LaunchLog(parsing: bytes).launches.first
    }
  }

  /// Returns why the program at `path` can't have the tracer, for a message.
  static func reasonAgainst(_ path: String) -> String {
    guard let bytes = try? FileBytes(path: path) else { return "the program can't be read" }
    if bytes.hasPrefix("#!", at: 0) {
      return "the program is a script, and its interpreter is not loaded by glibc's loader"
    }
    guard let file = try? ELFFile(parsing: bytes) else {
      return "the program is no ELF image of this machine"
    }
    guard let loader = try? file.interpreter() else { return "the program is linked statically" }
    let name = String(decoding: loader, as: UTF8.self)
    guard name.contains("/ld-linux") else { return "\(name) is not glibc's loader" }
    return "the program runs with other rights than its user, or ended before it was loaded"
  }
}
