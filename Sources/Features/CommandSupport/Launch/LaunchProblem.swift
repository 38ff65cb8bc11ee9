// The errors that any launch may have.

import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch

extension ProgramLaunch.LaunchError {
  package var isNotPermitted: Bool { errno == EPERM }
}

extension ProgramLaunch {
  /// - Throws: an error if the sign of readiness is there before the program is launched.
  package func checkReadiness() throws(Diagnostic) {
    if let readiness { try readiness.check() }
  }

  /// - Throws: an error if the program should have become ready, and did not, or if its script could not go on.
  package func checkReadiness(_ result: Result) throws(Diagnostic) {
    if let failure = result.scriptFailure { throw .scriptFailed(failure, result.end) }
    guard let readiness, !result.isReady else { return }
    throw .notReady(title, readiness, within: result.timedOut ? timeout : nil, result.end)
  }
}

extension ProgramLaunch.Result {
  /// Returns a warning if the server was still working when it was ended, because another launch may then get further.
  ///
  /// - Parameter launch: the command line, for messages.
  package func unsettled(_ launch: String) -> Diagnostic? {
    guard endedAtWork else { return nil }
    return Diagnostic(
      "the program was still busy when it was ended, seconds after it was ready: another launch may get further",
      context: [launch],
      hint:
        "end the launch when the program waits for requests: --until-ready line=TEXT, with a line that it prints then"
    )
  }
}

extension Readiness {
  /// - Throws: an error if the sign of readiness is there before any program is launched.
  package func check() throws(Diagnostic) {
    guard isThereAlready else { return }
    throw Diagnostic(
      "found \(self) before the program was launched", context: ["--until-ready"],
      hint: "end the process that listens, or let the program use another port")
  }
}

extension Diagnostic {
  /// The hint for systems that do not permit ptrace.
  package static let allowTracing =
    "allow ptrace: sysctl kernel.yama.ptrace_scope=1, or docker run --cap-add=SYS_PTRACE"

  /// - Parameter program: the program's name on the command line.
  package static func unableToRun(
    _ program: String, _ error: ProgramLaunch.LaunchError
  ) -> Diagnostic {
    let isMeantHere =
      error.errno == ENOENT && !program.contains("/") && access("./\(program)", X_OK) == 0
      && !Folder.isFolder("./\(program)")
    return Diagnostic(
      "unable to run: \(error)", context: [program],
      hint: isMeantHere ? "did you mean ./\(program)?" : nil, kind: .failedLaunch)
  }

  package static func notTraceable(_ program: String) -> Diagnostic {
    Diagnostic(
      "unable to trace: ptrace is not permitted here", context: [program], hint: allowTracing)
  }

  /// - Parameter rights: the rights that the program would get from its file if it was not traced.
  static func rightsWithheld(from program: String, _ rights: FileRights) -> Diagnostic {
    Diagnostic(
      "unable to trace: a traced program does not get the rights that its file gives it (\(rights))",
      context: [program],
      hint:
        "run this command as root with CAP_SYS_PTRACE, or trace a copy made by 'cp', which runs without these rights"
    )
  }

  /// Returns the message that a program of the launch ran without the rights that its file gives.
  package static func ranWithoutRights(_ program: String) -> Diagnostic {
    Diagnostic(
      "the program ran without the rights that its file gives (set-user-ID, set-group-ID, capabilities), because it was traced",
      context: [program], hint: "run this command as root with CAP_SYS_PTRACE")
  }

  package static func looksForLeaks(_ program: String) -> Diagnostic {
    Diagnostic(
      "unable to trace the program: it contains LeakSanitizer, which traces it when it ends",
      context: [program],
      hint: "use a build without LeakSanitizer, or set ASAN_OPTIONS=detect_leaks=0")
  }
}
