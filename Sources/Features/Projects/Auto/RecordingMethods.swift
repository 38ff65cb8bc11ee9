import ByteReading
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Recording
import Rendering
import Symbolication

/// The methods that can record a launch, and the reasons why the others can't.
///
/// The first method that can be used is chosen. Breakpoints are first, because they see every function of the release
/// build and hardly slow it down. An emulator is next: it needs no permission, and runs programs of other
/// architectures. An instrumented build is last, because it is another build and sees only functions that were compiled
/// for it.
package struct RecordingMethods: Hashable, Sendable {
  package typealias RecordingMethod = AutoDocument.RecordingMethod

  /// Why a method can't be used.
  package struct Refusal: Hashable, Sendable {
    /// The reason, in a few words.
    package var reason: String
    /// What the user can do so that the method works; `nil` if nothing can be done.
    package var hint: String?

    package init(_ reason: String, hint: String? = nil) {
      self.reason = reason
      self.hint = hint
    }
  }

  private var refusals: [RecordingMethod: Refusal] = [:]
  /// Why the emulator of this machine's architecture can't be used; `nil` if it can be used, or if the programs are for
  /// another architecture.
  private var ownEmulation: Refusal?
  /// Whether programs of the project can be run as they are.
  package private(set) var runsPrograms = true

  /// Makes a value with which all methods can be used.
  package init() {}

  /// Notes that a method can't be used. Of several reasons, the first is kept.
  package mutating func refuse(_ method: RecordingMethod, _ refusal: Refusal) {
    refusals[method] = refusals[method] ?? refusal
  }

  /// Notes that the emulator of this machine's architecture can't be used.
  package mutating func refuseOwnEmulation(_ refusal: Refusal) { ownEmulation = refusal }

  /// Notes that a program is for another architecture, whose programs the emulator of this machine's architecture can't
  /// run.
  ///
  /// - Parameter refusal: why that program can't be emulated; `nil` if it can be.
  package mutating func needForeignEmulation(_ refusal: Refusal?) {
    ownEmulation = nil
    if let refusal { refuse(.qemu, refusal) }
  }

  package func refusal(of method: RecordingMethod) -> Refusal? {
    (method == .qemu ? ownEmulation : nil) ?? refusals[method]
  }

  /// The method to use; `nil` if no method can be used.
  package var best: RecordingMethod? { RecordingMethod.allCases.first { refusal(of: $0) == nil } }

  /// Returns why the methods before `method` can't be used; `nil` if it is the first.
  package func reason(for method: RecordingMethod) -> String? {
    let earlier = Self.earlier(than: method)
    return earlier.isEmpty ? nil : wording(earlier)
  }

  private static func earlier(than method: RecordingMethod) -> ArraySlice<RecordingMethod> {
    RecordingMethod.allCases.prefix { $0 != method }
  }

  /// Why no method can be used, for the last line of a report; `nil` if a method can be.
  package var obstacle: String? {
    best == nil ? "no way to record: \(wording(RecordingMethod.allCases[...]))" : nil
  }

  private func wording(_ methods: ArraySlice<RecordingMethod>) -> String {
    methods.compactMap { method in
      refusal(of: method).map { "\(method.rawValue): \($0.reason)" }
    }
    .joined(separator: "; ")
  }

  /// Returns what to do so that one of `methods` can be used; `nil` if nothing can be done.
  private func hint(_ methods: ArraySlice<RecordingMethod>) -> String? {
    let hints = methods.compactMap { refusal(of: $0)?.hint }
    return hints.isEmpty ? nil : hints.joined(separator: "; or ")
  }

  /// The finding of `doctor` about recording.
  package var finding: Finding {
    let check = "method of recording"
    guard let best else {
      return Finding(
        .auto, check, .error, wording(RecordingMethod.allCases[...]),
        hint: hint(RecordingMethod.allCases[...]))
    }
    guard let reason = reason(for: best) else {
      return Finding(.auto, check, .ok, best.wording)
    }
    return Finding(
      .auto, check, .warning, "\(best.wording) (\(reason))", hint: hint(Self.earlier(than: best)))
  }

  /// Returns the method to use.
  ///
  /// - Parameter wanted: the user's choice.
  /// - Throws: if the wanted method can't be used, or if no method can be.
  package func chosen(_ wanted: RecordingMethod?) throws(Diagnostic) -> RecordingMethod {
    if let wanted {
      guard let refusal = refusal(of: wanted) else { return wanted }
      throw Diagnostic(
        "unable to record: \(refusal.reason)", context: ["--\(wanted.rawValue)"],
        hint: refusal.hint)
    }
    if let best { return best }
    throw Diagnostic(
      "unable to record: \(wording(RecordingMethod.allCases[...]))",
      hint: hint(RecordingMethod.allCases[...]))
  }
}

// MARK: On this machine

extension RecordingMethods {
  /// Tries which methods work for programs of this machine's architecture.
  init(triedIn environment: LaunchEnvironment) {
    self.init(
      tracing: TracingPermission.refusal().map { reason in
        Refusal(
          "a program can't be traced: \(reason)",
          hint: "'orderfile doctor' says how ptrace can be permitted")
      }, in: environment)
  }

  /// Finds out which methods work for programs of this machine's architecture.
  ///
  /// - Parameter tracing: why no program can be traced; `nil` if a program was traced.
  init(tracing: Refusal?, in environment: LaunchEnvironment) {
    if let tracing { refuse(.breakpoints, tracing) }
    do { _ = try Emulator(of: "/bin/sh", LaunchRecording.Emulation(), in: environment) } catch {
      refuseOwnEmulation(Refusal(error))
    }
    do { _ = try OwnLibrary.recorder() } catch { refuse(.instrument, Refusal(error)) }
  }

  /// Removes the recording methods that can't record a project whose build made `images`, and notes the reasons.
  mutating func consider(
    _ images: [ProjectImage], of plan: BuildPlan, in environment: LaunchEnvironment
  ) {
    for method in RecordingMethod.allCases {
      if let refusal = plan.goal.refusal(of: method) { refuse(method, refusal) }
    }
    consider(plan.system, in: environment)
    for image in images { consider(image.path, isLibrary: image.isLibrary, in: environment) }
  }

  /// Refuses the methods that can't record a project of this build system; `nil` if the build system is not known.
  mutating func consider(_ system: BuildSystem?, in environment: LaunchEnvironment) {
    guard system?.toolchain.compilesC ?? true else { return }
    let compilers = CompilerSearch.compilers(in: environment.searchPath ?? "")
    if !compilers.contains(where: { $0.contains("clang") }) {
      refuse(.instrument, Refusal("clang is not installed", hint: "install clang"))
    }
  }

  /// Refuses the methods that can't record the image at `path`.
  mutating func consider(
    _ path: String, isLibrary: Bool = false, in environment: LaunchEnvironment
  ) {
    let name = fileName(ofPath: path)
    guard let bytes = try? FileBytes(regularFileAt: path),
      let machine = try? EmulatedMachine(of: bytes)
    else { return }
    let own = (try? FileBytes(path: "/proc/self/exe")).flatMap { try? EmulatedMachine(of: $0) }
    if let own, own.description != machine.description {
      runsPrograms = false
      refuse(
        .breakpoints, Refusal("\(name) is for another architecture, \(machine.description)"))
      refuse(.instrument, Refusal("this machine can't run \(name)"))
      if !isLibrary {
        needForeignEmulation(Self.refusalToEmulate(programAt: path, in: environment))
      }
    } else if let pages = try? ImagePages(of: bytes), pages.hasLeakSanitizer {
      if environment.looksForLeaks {
        refuse(
          .breakpoints,
          Refusal(
            "\(name) contains LeakSanitizer",
            hint: "build without LeakSanitizer, or set ASAN_OPTIONS=detect_leaks=0"
          ))
      }
      refuse(.qemu, Refusal("\(name) contains a sanitizer"))
    }
  }

  /// - Parameter path: the path of the program, which is not looked up in `PATH`.
  private static func refusalToEmulate(
    programAt path: String, in environment: LaunchEnvironment
  ) -> Refusal? {
    do {
      _ = try EmulatedPrograms([Folder.absolutePath(path)], images: [], in: environment)
      return nil
    } catch { return Refusal(error) }
  }
}

extension AutoDocument.RecordingMethod {
  /// Whether the launches run an instrumented build instead of the release build.
  var needsInstrumentedBuild: Bool { self == .instrument }
  /// Whether the launched programs are traced. A system may forbid that.
  var traces: Bool { self == .breakpoints }
  /// Whether scripts take the place of programs while a launch is recorded.
  var replacesPrograms: Bool { self == .qemu }
}

extension RecordingMethods.Refusal {
  fileprivate init(_ error: Diagnostic) { self.init(error.message, hint: error.hint) }
}
