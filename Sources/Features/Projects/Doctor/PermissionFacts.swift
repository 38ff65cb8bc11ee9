import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import Rendering

/// The permissions of this process, which were found out by trying.
package struct PermissionFacts: Hashable, Sendable {
  package var tracing: Tracing
  /// Why page faults could not be recorded; `nil` if they were recorded.
  package var faultRefusal: String?
  /// The result of a confined command; `nil` if none was tried.
  package var confinement: Confinement?
  package var temporaryFolder: String
  /// Why no file could be written to the temporary folder; `nil` if one was written.
  package var temporaryFolderRefusal: String?

  /// What decides whether this process may trace programs.
  package struct Tracing: Hashable, Sendable {
    /// Why a program could not be traced; `nil` if it was traced.
    package var refusal: String?
    /// `kernel.yama.ptrace_scope`; `nil` if the kernel has no Yama.
    package var ptraceScope: Int?
    /// Whether a filter forbids system calls, as in containers (seccomp).
    package var hasFilter: Bool
    /// Whether this process has CAP_SYS_PTRACE.
    package var hasTraceCapability: Bool
    /// Whether this process is itself traced, by a debugger for example. The programs that it starts are then traced,
    /// too, and no other process can trace them.
    package var isTraced: Bool

    package init(
      refusal: String? = nil, ptraceScope: Int? = nil, hasFilter: Bool = false,
      hasTraceCapability: Bool = false, isTraced: Bool = false
    ) {
      self.refusal = refusal
      self.ptraceScope = ptraceScope
      self.hasFilter = hasFilter
      self.hasTraceCapability = hasTraceCapability
      self.isTraced = isTraced
    }
  }

  /// What happens to a command that may write to one folder only.
  package enum Confinement: Hashable, Sendable {
    /// The confined command can't write outside of the folder.
    case works
    /// The command can write outside of the folder, because the kernel has no Landlock, or because a filter of system
    /// calls forbids Landlock.
    case isMissing
    /// The confined command does not run, for this reason.
    case fails(String)
  }

  package init(
    tracing: Tracing = Tracing(), faultRefusal: String? = nil,
    confinement: Confinement? = .works, temporaryFolder: String = "/tmp",
    temporaryFolderRefusal: String? = nil
  ) {
    self.tracing = tracing
    self.faultRefusal = faultRefusal
    self.confinement = confinement
    self.temporaryFolder = temporaryFolder
    self.temporaryFolderRefusal = temporaryFolderRefusal
  }

  /// - Parameters:
  ///   - trials: the trials of tools, or an error if there is no temporary folder for them.
  ///   - command: the path of this command.
  init(
    _ trials: Result<ToolTrials, Diagnostic>, in environment: LaunchEnvironment, command: String
  ) {
    let status = ProcessStatus(of: getpid())
    let capabilities = status?["CapEff"].flatMap { UInt64($0, radix: 16) } ?? 0
    tracing = Tracing(
      refusal: TracingPermission.refusal(),
      ptraceScope: SystemFile.number("/proc/sys/kernel/yama/ptrace_scope"),
      hasFilter: status?["Seccomp"] == "2",
      hasTraceCapability: capabilities >> 19 & 1 == 1,  // CAP_SYS_PTRACE
      isTraced: status?["TracerPid"].map { $0 != "0" } ?? false)
    faultRefusal = PageFaultRecording.refusal
    temporaryFolder = environment.temporaryFolder ?? "/tmp"
    switch trials {
    case .success(let trials): confinement = Self.confinement(trials, command)
    case .failure(let error): temporaryFolderRefusal = error.message
    }
  }

  /// Runs a shell that may write to one folder only, and that tries to write beside that folder.
  private static func confinement(_ trials: ToolTrials, _ command: String) -> Confinement {
    do { try trials.makeFolder("inside") } catch { return .fails("\(error)") }
    let began = "the shell began"
    let run = trials.run([
      command, ConfinedCommand.word, trials.path("inside"), "/bin/sh", "-c",
      "echo \(began); echo >\(shellWord(trials.path("escaped")))",
    ])
    guard let run, run.output.contains(began) else {
      return .fails(run?.firstLine ?? "it could not be started")
    }
    return Folder.hasFile(trials.path("escaped")) ? .isMissing : .works
  }

  /// - Parameter methods: the methods of recording. If one of them needs no permission to trace, a refusal is only a
  ///   warning.
  package func findings(_ methods: RecordingMethods = RecordingMethods()) -> [Finding] {
    let findings: [Finding?] = [
      tracingFinding(methods),
      faultRefusal.map {
        Finding(
          .permissions, "page faults", .warning,
          "perf_event_open: \($0): 'measure' can't count faults on code",
          hint:
            "as root: sysctl kernel.perf_event_paranoid=2; in a container: docker run --cap-add=PERFMON"
        )
      } ?? Finding(.permissions, "page faults", .ok, "recorded with perf_event_open (tried)"),
      confinementFinding,
      temporaryFolderRefusal.map {
        Finding(
          .permissions, "temporary folder", .error,
          "\(temporaryFolder): \($0): no tool could be tried", hint: "export TMPDIR=FOLDER")
      }
        ?? Finding(
          .permissions, "temporary folder", .ok, "\(temporaryFolder) can be written (tried)"),
    ]
    return findings.compactMap { $0 }
  }

  private var confinementFinding: Finding? {
    let check = "confined builds"
    return switch confinement {
    case nil: nil
    case .works: Finding(.permissions, check, .ok, "a build writes only to its folder (tried)")
    case .isMissing:
      Finding(
        .permissions, check, .warning,
        "the kernel has no Landlock, or forbids it: 'auto' can't stop a build that writes outside its folder"
      )
    case .fails(let reason):
      Finding(.permissions, check, .error, "a command can't be confined to a folder: \(reason)")
    }
  }

  /// Why no program can be recorded with breakpoints; `nil` if programs can be.
  package var refusalOfBreakpoints: RecordingMethods.Refusal? {
    tracing.refusal.map {
      RecordingMethods.Refusal("a program can't be traced: \($0)", hint: tracingHint)
    }
  }

  private func tracingFinding(_ methods: RecordingMethods) -> Finding {
    let facts = [
      tracing.ptraceScope.map { "ptrace_scope \($0)" } ?? "no Yama",
      tracing.hasFilter ? "a seccomp filter" : "no seccomp filter",
      tracing.hasTraceCapability ? "CAP_SYS_PTRACE" : "no CAP_SYS_PTRACE",
      tracing.isTraced ? "this command is traced" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
    guard let refusal = tracing.refusal else {
      return Finding(.permissions, "ptrace", .ok, "a program was traced: \(facts) (tried)")
    }
    return Finding(
      .permissions, "ptrace", methods.best == nil ? .error : .warning,
      "\(refusal): \(facts) (tried)",
      hint: tracingHint)
  }

  /// <https://docs.kernel.org/admin-guide/LSM/Yama.html>
  private var tracingHint: String {
    if tracing.isTraced { return "run orderfile without strace or a debugger" }
    return switch tracing.ptraceScope ?? 0 {
    case ...1: "in a container: docker run --cap-add=SYS_PTRACE --security-opt seccomp=unconfined"
    case 2: "as root: sysctl kernel.yama.ptrace_scope=1"
    default:
      "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d, and reboot: the value 3 can't be changed before"
    }
  }
}
