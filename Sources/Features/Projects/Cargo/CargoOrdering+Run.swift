import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Recording

extension CargoOrdering {
  /// The result of launching and recording the target.
  package struct Launched {
    package let recorded: RecordedLaunch
    package let method: AutoDocument.RecordingMethod
    /// Why the preferred methods were not used; `nil` if `method` is the first.
    package let methodReason: String?
    /// The number of traces that were removed because another build was recorded.
    package let removed: Int
  }

  /// Builds the target, and records a launch of it.
  ///
  /// - Parameter command: the path of this command.
  /// - Throws: also if no method of recording can be used.
  package func run(command: String) throws -> Launched {
    let image = try build()
    guard !image.isLibrary || !words.program.isEmpty else {
      throw Diagnostic(
        "a library can't be launched: expected a program that loads it", context: [image.name],
        hint: "\(words.command("run")) -- PROGRAM ARGUMENTS", severity: .usage)
    }
    var methods = RecordingMethods(triedIn: environment)
    methods.consider(image.path, isLibrary: image.isLibrary, in: environment)
    if image.isLibrary {
      methods.refuse(
        .instrument,
        RecordingMethods.Refusal(
          "programs find the library only at the path where cargo builds it",
          hint: "'orderfile auto --instrument' builds the library there"))
    }
    let method = try methods.chosen(nil)
    let results = try CargoResults(of: image)
    let launched =
      method.needsInstrumentedBuild ? try instrumented(in: results.instrumented, command) : image
    let removed = try results.keepRecorded(launched)
    let program = ProgramLaunch(
      command: (image.isLibrary ? [] : [launched.path]) + words.program)
    let recording = LaunchRecording(
      way(of: program, method, launched), outputPath: results.nextTrace, in: environment)
    return Launched(
      recorded: try recording.run(), method: method, methodReason: methods.reason(for: method),
      removed: removed)
  }

  private func way(
    of program: ProgramLaunch, _ method: AutoDocument.RecordingMethod, _ image: CargoArtifact
  ) -> LaunchRecording.Means {
    switch method {
    case .breakpoints:
      return .breakpoints(
        .launch(program), LaunchRecording.Breakpoints(onlyImages: [image.path]))
    case .qemu:
      let root = Emulator.usualRoot(of: program.command[0], in: environment)
      return .emulation(
        program, LaunchRecording.Emulation(images: image.isLibrary ? [image.path] : [], root: root))
    case .instrument: return .recorder(program)
    }
  }

  /// Builds all crates so that the program records itself, and returns the program.
  ///
  /// - Parameters:
  ///   - folder: cargo's target folder for this build.
  ///   - command: the path of this command.
  private func instrumented(in folder: String, _ command: String) throws -> CargoArtifact {
    let tools = try TemporaryFolder(in: environment)
    let wrapper = tools.path(RustWrapper.name)
    guard symlink(command, wrapper) == 0 else {
      throw Diagnostic.unable(to: "write", wrapper)
    }
    return try link(
      targetFolder: folder,
      variables: [
        ("RUSTC_WRAPPER", wrapper),
        (WrapperSettings.recorderVariable, try OwnLibrary.recorder()),
      ])
  }
}
