import ByteReading
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Rendering
import Symbolication

/// QEMU's emulator of one program, such as `qemu-x86_64`, with the plugin that records.
package struct Emulator {
  /// The path of the program that the emulator runs, without symbolic links.
  let program: String
  private let path: String
  private let plugin: String
  private let options: LaunchRecording.Emulation
  private let processor: String

  /// The emulator and its processor, for messages: `qemu-aarch64, CPU max`.
  var description: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return "\(name), CPU \(processor)"
  }

  /// - Parameter name: the name of the program, looked up like `execvp(3)` does.
  /// - Throws: if there is no such program, or no emulator or plugin for it.
  package init(
    of name: String, _ options: LaunchRecording.Emulation, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    self.options = options
    loaderVariables = [
      ("LD_LIBRARY_PATH", environment.libraryPath ?? ""), ("LD_PRELOAD", environment.preload),
    ]
    let launched = try LaunchedProgram(named: name, in: environment)
    // AddressSanitizer reserves 16 TiB, and QEMU touches every page of them; LeakSanitizer traces the program itself.
    if launched.pages?.hasLeakSanitizer ?? false {
      throw Diagnostic(
        "unable to emulate: the program contains AddressSanitizer or LeakSanitizer, which QEMU can't run",
        context: [launched.path], hint: "use a build without sanitizers")
    }
    program = launched.path
    let machine = try Self.machine(of: program)
    processor = options.processor ?? machine.fullestProcessor
    path = try Self.path(of: machine, for: program, in: environment)
    plugin = try OwnLibrary.path("liborderfile-qemu.so", product: "orderfile-qemu")
    try checkLoader(of: machine, in: environment)
  }

  /// The variables by which the loader finds libraries. They are set for the emulated program alone, because QEMU is
  /// another program. Their values can't have commas.
  private let loaderVariables: [(name: String, value: String)]

  /// Returns `launch` in the emulator, which leaves its traces in `folder`.
  func running(_ launch: ProgramLaunch, into folder: RecordingFolder) -> ProgramLaunch {
    var emulated = launch
    emulated.command = words(program: program, tracesIn: folder.path)
    for (name, usual) in loaderVariables {
      let value = launch.environment.last { $0.name == name }?.value ?? usual
      guard !value.isEmpty, !value.contains(",") else { continue }
      emulated.environment.removeAll { $0.name == name }
      emulated.environment.append((name, ""))
      emulated.command += ["-E", "\(name)=\(value)"]
    }
    emulated.command += ["-0", launch.command[0], program] + launch.command.dropFirst()
    return emulated
  }

  /// Returns the words of a command that runs the emulator with the options that make it record `program`; the last
  /// word ends with the path of the folder for its traces.
  private func words(program: String, tracesIn folder: String) -> [String] {
    /// Commas separate the words of the option, so commas within a word are doubled.
    func escaped(_ text: String) -> String {
      text.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ",,")
    }
    let plugin = ["file=\(plugin)", "program=\(program)", "folder=\(folder)"].map(escaped)
    return [path, "-cpu", processor] + (options.root.map { ["-L", $0] } ?? [])
      + ["-plugin", plugin.joined(separator: ",")]
  }

  /// Returns a shell script that runs the program in the emulator, under the name by which the script is called.
  ///
  /// - Parameters:
  ///   - path: the path of the program's file.
  ///   - folder: the path of a folder in which each emulator makes a folder for its traces.
  func script(runningFileAt path: String, tracesIn folder: String) -> String {
    let command = words(program: program, tracesIn: folder).map(shellWord).joined(separator: " ")
    return """
      #!/bin/sh
      mkdir \(shellWord(folder))/$$ 2>/dev/null
      exec \(command)/$$ -0 "$0" \(shellWord(path)) "$@"

      """
  }

  /// The folder in which Debian has the libraries of another architecture, if the program at `path` needs it: the
  /// program's loader is in this folder, and not at its own path.
  package static func usualRoot(of path: String, in environment: LaunchEnvironment) -> String? {
    guard environment.emulatorRoot == nil, let machine = try? machine(of: path),
      let loader = machine.loader, let triplet = machine.triplet, !Folder.hasFile(loader),
      Folder.hasFile("/usr/\(triplet)\(loader)")
    else { return nil }
    return "/usr/\(triplet)"
  }

  private static func machine(of program: String) throws(Diagnostic) -> EmulatedMachine {
    do {
      let bytes = try FileBytes(path: program)
      if bytes.hasPrefix("#!", at: 0) {
        throw Diagnostic(
          "unable to emulate: expected a program, found a script", context: [program],
          hint: "launch its interpreter with the script as argument: python3 SCRIPT")
      }
      return try EmulatedMachine(of: bytes)
    } catch let error as Diagnostic {
      throw error
    } catch {
      throw Diagnostic("unable to emulate: \(error)", context: [program])
    }
  }

  /// Returns the path of the emulator in the folders of `PATH`. The emulator must be dynamically linked: a static
  /// emulator loads no plugin.
  private static func path(
    of machine: EmulatedMachine, for program: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) -> String {
    guard let name = machine.emulatorName else {
      throw Diagnostic(
        "unable to emulate: expected EM_X86_64, EM_AARCH64 or EM_RISCV, found \(machine.description)",
        context: [program])
    }
    let folders = (environment.searchPath ?? "").split(separator: ":")
    func found(_ file: String) -> String? {
      folders.map { "\($0)/\(file)" }.first { access($0, X_OK) == 0 }
    }
    let path = found("qemu-\(name)")
    if let path, loadsPlugins(path) { return path }
    if let other = path ?? found("qemu-\(name)-static") {
      throw Diagnostic(
        "unable to record with this emulator: it is statically linked, so it loads no plugins",
        context: [other],
        hint: hint)
    }
    throw Diagnostic(
      "unable to emulate: missing 'qemu-\(name)' on PATH", context: [program], hint: hint)
  }

  /// Whether the emulator at `path` is dynamically linked.
  package static func loadsPlugins(_ path: String) -> Bool {
    guard let bytes = try? FileBytes(path: path), let own = try? EmulatedMachine(of: bytes) else {
      return false
    }
    return own.loader != nil
  }

  /// The hint that says where to get emulators that load plugins.
  package static let hint = "install a QEMU that loads plugins: see docs/how-to/RECORDING.md"

  /// - Throws: if the program's loader is not found.
  private func checkLoader(
    of machine: EmulatedMachine, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    guard let loader = machine.loader else { return }
    // QEMU looks up loaders in a folder that was set when QEMU was built. The folder is unknown, so usual folders are
    // tried.
    let name = machine.emulatorName ?? ""
    let roots = [
      options.root, environment.emulatorRoot, "/etc/qemu-binfmt/\(name)",
      "/usr/gnemul/qemu-\(name)", "",
    ]
    if roots.contains(where: { access(($0 ?? "") + loader, F_OK) == 0 }) { return }
    let folder = "/usr/\(machine.triplet ?? "")"
    throw Diagnostic(
      "unable to emulate: missing the loader of the program, \(loader)", context: [program],
      remedies: [
        Remedy(
          access(folder + loader, F_OK) == 0
            ? "give --sysroot \(folder)"
            : "give the folder with the loader and libraries with --sysroot",
          option: "--sysroot")
      ])
  }
}
