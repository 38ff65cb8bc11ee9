import CommandSupport
import ImageModel

/// The builds of a project in its copy, and the images that they have linked.
struct ProjectBuild {
  let plan: BuildPlan
  let shell: AutoShell
  let steps: ProjectSteps
  /// A language whose programs can't be ordered, if the project has files of this language.
  var language: UnsupportedLanguage?
  /// The lines that the last run left after the configuration in the file `configured`.
  private var earlierFailure = ""
  /// Whether the last build of this run failed.
  private var hasFailed = false
  /// The commands that were run, for the summary.
  private(set) var commands: [AutoDocument.Command] = []
  /// The symbolic links that `relink` removed; the next build may not make them again.
  private var removedLinks: [ProjectImage.Link] = []

  init(_ plan: BuildPlan, shell: AutoShell, steps: ProjectSteps) {
    self.plan = plan
    self.shell = shell
    self.steps = steps
  }

  var system: BuildSystem { plan.system }

  private var folder: AutoFolder { shell.folder }

  private var configuration: String { system.configuration(in: shell.environment) }

  /// Configures the copy unless it is configured by the same command. If the source has objects of a build, also
  /// removes the other results of that build (such as static libraries) from the copy, because they were not compiled
  /// for ordering.
  ///
  /// - Parameters:
  ///   - copy: the copy.
  ///   - copied: the result of the last update of the copy.
  mutating func configure(_ copy: TreeCopy, _ copied: TreeCopy.Update) throws(Diagnostic) {
    let known = folder.configuredText
    if copied.isNew || known != configuration {
      // The copy is configured from the start, because something that the last configuration did not find may be
      // installed now.
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
      // The command may fail, because not every project has a `clean` target.
      if let command = system.clean, copied.hasObjects {
        try run("clean", command, .plain, mayFail: true)
      }
      try OutputFile(folder.configured).finish(Array(configuration.utf8))
    }
    if let command = system.configure {
      commands.append(AutoDocument.Command(step: "configure", command: command))
    }
  }

  /// Makes the next build link `images` again.
  mutating func relink(_ images: [ProjectImage]) {
    removedLinks += images.flatMap { $0.removeForRelink() }
  }

  /// Builds the variant `variant` of everything that is not up to date.
  ///
  /// - Parameter name: the name of the step and of its log.
  mutating func build(_ name: String, _ variant: BuildPlan.Variant) throws(Diagnostic) {
    defer {
      for link in removedLinks { link.restore() }
      removedLinks = []
    }
    try prepareObjects(variant)
    if system.usesToolset { try writeToolset(variant) }
    do {
      try run(name, system.build, variant)
    } catch {
      if let language, images.isEmpty { throw language.error(system.build) }
      // The cause may be something that `configure` did not find, and that the user then installs.
      let failures = earlierFailure.hasPrefix("failed") ? "failed\nfailed\n" : "failed\n"
      try OutputFile(folder.configured).finish(Array((configuration + failures).utf8))
      hasFailed = true
      throw error
    }
    // The last build may have failed because of prefetching: the configuration is good.
    if hasFailed {
      try OutputFile(folder.configured).finish(Array(configuration.utf8))
      hasFailed = false
    }
    commands.append(AutoDocument.Command(step: name, command: system.build))
  }

  mutating func noteLaunch(_ launch: AutoLaunch) {
    commands.append(AutoDocument.Command(step: "launch", command: launch.command))
  }

  private func run(
    _ name: String, _ command: String, _ variant: BuildPlan.Variant, mayFail: Bool = false,
    advice: String = "correct the cause, and run this command again"
  ) throws(Diagnostic) {
    try steps.timed(name, command, log: shell.buildLog(name).path) { () throws(Diagnostic) in
      try shell.build(
        name, command, plan.variables(of: variant, in: folder), mayFail: mayFail, advice: advice)
    }
  }

  /// Removes all objects unless they were compiled as this variant needs them. The build then compiles again.
  private mutating func prepareObjects(_ variant: BuildPlan.Variant) throws(Diagnostic) {
    let objects = plan.objects(of: variant, hasProfile: Folder.hasFile(folder.splitProfile))
    let known = (try? InputFile.bytes(folder.compiled)).map { $0.text(0..<$0.count) }
    guard (known ?? BuildPlan.Objects.whole.rawValue) != objects.rawValue else { return }
    TreeCopy.removeObjects(below: folder.tree)
    // rustc compiles and links a program in one call, so a program of a single crate has no object.
    if system.toolchain == .rust { relink(images) }
    try OutputFile(folder.compiled).finish(Array(objects.rawValue.utf8))
  }

  /// Writes the toolset, the file with options for SwiftPM. The plain and the ordered variant share one toolset, which
  /// names one order file. That order file is emptied here for the plain variant; `ProjectImages` has written it for
  /// the ordered variant.
  private func writeToolset(_ variant: BuildPlan.Variant) throws(Diagnostic) {
    let toolset = try OutputFile(plan.toolset(of: variant, in: folder))
    if let recorder = variant.recorder {
      return try toolset.finish(
        SwiftToolset(linkerOptions: ["--build-id"], recorder: recorder).json())
    }
    if variant == .plain { try OutputFile(folder.packageOrder).finish([]) }
    var options = [
      "--build-id", "--symbol-ordering-file=\(folder.packageOrder)", "--no-warn-symbol-ordering",
    ]
    if plan.splitter == .linker {
      options +=
        LinkTimeSplitting.arguments(
          profile: Folder.hasFile(folder.splitProfile) ? folder.splitProfile : nil)
        + LinkTimeSplitting.labelArguments
    }
    try toolset.finish(SwiftToolset(linkerOptions: options).json())
  }

  /// The images that the builds have linked, and that still exist.
  var images: [ProjectImage] {
    if let images = system.imageFolder { return ProjectImage.all(in: images, of: folder.tree) }
    return ProjectImage.all(of: LinkLog.links(inFileAt: folder.linkLog), in: folder.tree)
  }

  /// Returns the linker that a configuration file of cargo names, and that no compiler wrapper sees; `nil` if the
  /// project has no linker of this kind.
  ///
  /// - Parameter project: the path of the project, whose configuration files cargo reads.
  func unseenLinker(of project: String) -> CargoLinker? {
    guard system.toolchain == .rust else { return nil }
    return (try? Folder.absolutePath(project)).flatMap { CargoLinker(namedIn: $0) }
  }

  /// The stamps of the images. They differ if an image has changed.
  var stamps: String { images.map { "\($0.path) \($0.stamp)\n" }.joined() }
}
