import CommandSupport
import ImageModel
import OrderFileFormat

/// The builds of a project in its copy, and what they have linked.
struct ProjectBuild {
  let system: BuildSystem
  /// The linker to use where the project does not demand one.
  let linker: OrderFileDialect
  let shell: AutoShell
  let steps: ProjectSteps
  /// A language whose programs can't be ordered, if the project has files of this language.
  var language: UnsupportedLanguage?
  /// The lines that the last run left after the configuration in the file `configured`.
  private var earlierFailure = ""
  /// What was run, for the summary.
  private(set) var commands: [AutoDocument.Command] = []
  /// The symbolic links that `relink` removed; the next build may not make them again.
  private var removedLinks: [ProjectImage.Link] = []

  init(
    _ system: BuildSystem, linker: OrderFileDialect, shell: AutoShell, steps: ProjectSteps
  ) {
    self.system = system
    self.linker = linker
    self.shell = shell
    self.steps = steps
  }

  private var folder: AutoFolder { shell.folder }

  private var configuration: String { system.configuration(in: shell.environment) }

  /// Configures the copy unless it is configured by the same command, and removes objects that were copied, which were
  /// not compiled for ordering.
  ///
  /// - Parameters:
  ///   - copy: the copy.
  ///   - copied: the result of the last update of the copy.
  mutating func configure(_ copy: TreeCopy, _ copied: TreeCopy.Update) throws(Diagnostic) {
    let known = folder.configuredText
    if copied.isNew || known != configuration {
      // Something that the last configuration did not find may be installed now.
      if !copied.isNew { copy.removeConfiguration() }
      earlierFailure = String((known ?? "").dropFirst(configuration.count))
      Folder.remove(Array(folder.configured.utf8))
      if copied.isNew { Folder.remove(Array(folder.linkLog.utf8)) }
      if let command = system.configure {
        try run(
          "configure", command, .plain,
          advice:
            "correct the cause, such as by installing what is missing, or configure it with options: orderfile auto ... -- sh -c '\(command) OPTIONS && \(system.build)'"
        )
      }
      // Not every project has this target.
      if let command = system.clean, copied.hasObjects {
        try run("clean", command, .plain, mayFail: true)
      }
      try OutputFile(folder.configured).finish(Array(configuration.utf8))
    }
    if let command = system.configure {
      commands.append(AutoDocument.Command(step: "configure", command: command))
    }
  }

  /// Removes all objects unless they were compiled like that, so that the next build compiles.
  func prepareObjects(_ compiled: Compiled) throws(Diagnostic) {
    let known = (try? InputFile.bytes(folder.compiled)).map { $0.text(0..<$0.count) }
    guard (known ?? Compiled.whole.rawValue) != compiled.rawValue else { return }
    TreeCopy.removeObjects(below: folder.tree)
    try OutputFile(folder.compiled).finish(Array(compiled.rawValue.utf8))
  }

  /// How objects were compiled.
  enum Compiled: String {
    case whole
    /// With a section for each variable.
    case wholeWithData
    /// With a map of basic blocks.
    case mapped
    case split
    /// With callbacks for the recorder.
    case instrumented
  }

  /// Makes the next build link `images` again.
  mutating func relink(_ images: [ProjectImage]) {
    removedLinks += images.flatMap { $0.removeForRelink() }
  }

  /// Builds what is not up to date.
  ///
  /// - Parameters:
  ///   - name: of the step and its log.
  ///   - mode: how images are built.
  mutating func build(_ name: String, _ mode: AutoShell.Mode) throws(Diagnostic) {
    defer {
      for link in removedLinks { link.restore() }
      removedLinks = []
    }
    do {
      try run(name, system.build, mode)
    } catch {
      if let language, images.isEmpty { throw language.error(system.build) }
      // The cause may be something that `configure` did not find, and that the user then installs.
      let failures = earlierFailure.hasPrefix("failed") ? "failed\nfailed\n" : "failed\n"
      try OutputFile(folder.configured).finish(Array((configuration + failures).utf8))
      throw error
    }
    commands.append(AutoDocument.Command(step: name, command: system.build))
  }

  mutating func noteLaunch(_ launch: AutoLaunch) {
    commands.append(AutoDocument.Command(step: "launch", command: launch.command))
  }

  private func run(
    _ name: String, _ command: String, _ mode: AutoShell.Mode, mayFail: Bool = false,
    advice: String = "correct the cause, and run this command again"
  ) throws(Diagnostic) {
    try steps.timed(name, command, log: shell.buildLog(name).path) { () throws(Diagnostic) in
      try shell.build(
        name, command, mode, linker: linker, mayFail: mayFail, advice: advice)
    }
  }

  /// Writes the file with options for SwiftPM, which stays the same, and an order file without names.
  ///
  /// - Parameter recorder: the path of the recorder, for the file that a build reads which is to record itself; `nil` for
  ///   the other one.
  func writeToolset(recorder: String? = nil) throws(Diagnostic) {
    if let recorder {
      return try OutputFile(folder.recordingToolset).finish(
        SwiftToolset(linkerOptions: ["--build-id"], recorder: recorder).json())
    }
    let order = "--symbol-ordering-file=\(folder.packageOrder)"
    try OutputFile(folder.packageOrder).finish([])
    try OutputFile(folder.toolset).finish(
      SwiftToolset(linkerOptions: ["--build-id", order, "--no-warn-symbol-ordering"]).json())
  }

  /// The images that are there.
  var images: [ProjectImage] {
    if let images = system.imageFolder { return ProjectImage.all(in: images, of: folder.tree) }
    return ProjectImage.all(of: LinkLog.links(inFileAt: folder.linkLog), in: folder.tree)
  }

  /// What tells whether the images have changed.
  var stamps: String { images.map { "\($0.path) \($0.stamp)\n" }.joined() }
}
