import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import Rendering

/// Runs commands of a project in its copy, with `/bin/sh -c`.
struct AutoShell {
  let folder: AutoFolder
  /// The path of this command.
  let command: String
  let environment: LaunchEnvironment
  /// Whether processes that commands leave running are ended. All children of this process then count as such
  /// processes.
  let endsOrphans: Bool

  /// Runs a build step, whose output goes to a log.
  ///
  /// - Parameters:
  ///   - name: the name of the step and of its log.
  ///   - variables: the environment variables that the build system, the wrappers and compilers read.
  ///   - advice: the hint if the command fails and its cause is not known.
  /// - Throws: the cause if the command fails, unless it may fail.
  func build(
    _ name: String, _ text: String, _ variables: [(name: String, value: String)],
    mayFail: Bool = false, advice: String
  ) throws(Diagnostic) {
    let log = buildLog(name)
    // The build is confined, so that it writes nothing outside the folder.
    var launch = ProgramLaunch(
      command: [command, ConfinedCommand.word, folder.path, "/bin/sh", "-c", inTree(text)],
      environment: variables + ownVariables, leadsGroup: true)
    launch.isShell = true
    try OutputFile(folder.building).finish([])
    let result: ProgramLaunch.Result
    do {
      result = try log.streams { streams in
        launch.streams = streams
        return try launch.run()
      }
    } catch let error as Diagnostic { throw error } catch {
      throw Diagnostic("unable to run: \(error)", context: [text])
    }
    if endsOrphans { _ = Orphans.end() }
    if Interruption.hasCome { throw Diagnostic("interrupted") }
    let output = result.end == .exited(0) ? "" : log.text
    // If the disk is full, the marker of a running build stays, because files of the build may be half written.
    if !FailureCause.isFullDisk(output) { Folder.remove(Array(folder.building.utf8)) }
    guard result.end != .exited(0), !mayFail else { return }
    if let place = FailureCause.refusedWrite(in: output, outside: folder.path) {
      throw Diagnostic(
        "the command failed, because it may write only to \(folder.path): \(place)",
        context: [text],
        hint: "keep the build within the project's folder; its output: \(log.path)")
    }
    throw Diagnostic(
      "the command failed (\(result.end))"
        + (FailureCause.line(in: output).map { ": \($0)" } ?? ""),
      context: [text],
      hint: "\(FailureCause.remedy(in: output) ?? advice); its output: \(log.path)")
  }

  /// Returns the output of the last build step with this name.
  func buildLog(_ name: String) -> ProgramLog { ProgramLog("\(folder.logs)/\(name).log") }

  /// Returns the launch of a shell with the command line of `launch`.
  ///
  /// - Parameter images: the project's images. The shell looks for programs in their folders first.
  func launch(_ launch: AutoLaunch, images: [ProjectImage]) -> ProgramLaunch {
    var program = ProgramLaunch(
      command: ["/bin/sh", "-c", inTree(launch.command)],
      environment: [("PATH", searchPath(with: images))],
      timeout: launch.timeout ?? AutoLaunch.usualTimeout, leadsGroup: true)
    program.title = launch.command
    program.readiness = launch.readiness
    program.script = launch.script
    program.isShell = true
    return program
  }

  /// Returns the program by which `launch` is measured: a shell with the command line of `launch`.
  func measuredProgram(of launch: AutoLaunch, images: [ProjectImage]) -> MeasuredProgram {
    var program = MeasuredProgram(
      path: "/bin/sh", arguments: words(of: launch, images: images), inputPath: launch.input,
      timeout: launch.timeout ?? AutoLaunch.usualTimeout, readiness: launch.readiness)
    program.title = launch.command
    program.script = launch.script
    return program
  }

  /// Returns `/bin/sh` and its arguments for `launch`, whose programs are looked up as in `launch(_:images:)`.
  func words(of launch: AutoLaunch, images: [ProjectImage]) -> [String] {
    let path = "PATH=\(shellWord(searchPath(with: images)))\nexport PATH\n"
    return ["/bin/sh", "-c", path + inTree(launch.command)]
  }

  private func searchPath(with images: [ProjectImage]) -> String {
    var folders: [String] = []
    for image in images where !image.isLibrary {
      // libtool's script for a program in `.libs` is in the folder above.
      var path = image.folder
      if path.hasSuffix("/.libs") { path = String(path.dropLast("/.libs".count)) }
      if !folders.contains(path) { folders.append(path) }
    }
    return (folders + [searchPath]).joined(separator: ":")
  }

  /// `PATH`, or the path that shells take if `PATH` is not set.
  private var searchPath: String { environment.searchPath ?? "/usr/bin:/bin" }

  private func inTree(_ text: String) -> String {
    "cd \(shellWord(folder.tree)) || exit 126\n\(text)"
  }

  /// The environment variables of each build step.
  private var ownVariables: [(name: String, value: String)] {
    let ocaml = environment.compilerVariables.first { $0.name == "OCAMLPARAM" }?.value ?? "_"
    return [
      ("PATH", "\(folder.tools):\(searchPath)"), ("TMPDIR", folder.temporary),
      // Ordering needs symbols.
      ("CARGO_PROFILE_RELEASE_STRIP", "none"),
      // ccache sees neither the options that the wrappers add nor that this folder is a copy.
      ("CCACHE_NAMESPACE", "orderfile"), ("CCACHE_DIR", "\(folder.temporary)/ccache"),
      // The wrappers see how ocamlopt links, but not how it compiles.
      ("OCAMLPARAM", "\(ocaml),function-sections=1"),
    ]
  }

  /// Makes a link to this command in the folder of tools for each compiler of `PATH`.
  func makeTools() throws(Diagnostic) {
    let names = CompilerSearch.compilers(in: environment.searchPath ?? "") + [RustWrapper.name]
    for name in Folder.names(in: folder.tools) where !names.contains(name) {
      unlink("\(folder.tools)/\(name)")
    }
    for name in names {
      let path = "\(folder.tools)/\(name)"
      if Folder.linkTarget(path) == command { continue }
      unlink(path)
      guard symlink(command, path) == 0 else {
        throw .unable(to: "write", path)
      }
    }
  }
}
