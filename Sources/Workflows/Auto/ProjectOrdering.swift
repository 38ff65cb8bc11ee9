// Orders a project: `orderfile auto`.
//
// The project is copied, built in the copy, launched, recorded, linked again in the recorded order, and launched again.
// What the build is depends on its build system; the rest does not. Compilers are called through this command, under
// their own names, which notes what is linked and adds what ordering needs (`CompilerWrapper`). So an image is linked
// again by removing it and building again, with the order files where the wrapper looks for them.
//
// All that a run leaves is below one folder. `state` there says what the results are of: the options, and the images
// after the last link. A run whose build leaves the images as they were has nothing more to do. It is removed before
// anything is changed, so that a run that was interrupted is followed by a full one; which uses the objects that are
// there, unless it was a build that was interrupted.

import ImageModel
import OrderFileFormat
import ProcessLaunch
import Reporting

/// The steps from a project's folder to ordered images.
package struct ProjectOrdering {
  package struct Options {
    /// The path of the project.
    package var project: String
    /// The path of the folder for everything that is written.
    package var output: String
    package var launches: [AutoLaunch] = []
    /// The command that builds the project, for `/bin/sh -c`; `nil` to find out.
    package var buildCommand: String?
    /// The build system to use of several.
    package var buildSystem: String?
    /// `nil` for the best that is installed.
    package var linker: OrderFileDialect?
    /// How many compilers may run at the same time.
    package var jobs = 1
    /// The path of this command.
    package var command: String
    /// Whether processes that commands leave behind are ended, for which all children of this process are taken.
    package var endsOrphans = false

    package init(project: String, output: String, command: String) {
      self.project = project
      self.output = output
      self.command = command
    }
  }

  package enum Progress {
    /// A step begins: its name, and the command that it runs or what it does.
    case begins(String, String)
    /// It took so many nanoseconds.
    case ends(String, String, nanoseconds: UInt64)
  }

  package struct Result {
    /// The document; `nil` if nothing has changed since the last run.
    package let document: AutoDocument?
    /// The paths of the results.
    package let text: String
    package let json: String
    package let warnings: [Diagnostic]
  }

  private let options: Options
  private let environment: LaunchEnvironment
  private let progress: (Progress) -> Void
  private var commands: [AutoDocument.Command] = []
  private var warnings: [Diagnostic] = []

  package init(
    _ options: Options, in environment: LaunchEnvironment,
    progress: @escaping (Progress) -> Void = { _ in }
  ) {
    self.options = options
    self.environment = environment
    self.progress = progress
  }

  /// Runs all steps that are needed.
  ///
  /// - Throws: `usage` if it is not known what to build or launch, with the candidates; the cause if a step fails;
  ///   `interrupted`. The next run goes on from there.
  package mutating func run() throws -> Result {
    let project = try Folder.absolutePath(options.project)
    let system = try buildSystem(of: project)
    for launch in options.launches {
      try launch.readiness?.check()
      if let input = launch.input { _ = try InputFile.bytes(input) }
    }
    let folder = try AutoFolder(options.output)
    guard folder.path != project, !project.hasPrefix(folder.path + "/") else {
      throw Diagnostic(
        "unable to copy the project into itself", context: [folder.path],
        hint: "name another with --out")
    }
    folder.removeUnfinishedCopy()
    let shell = AutoShell(
      folder: folder, command: options.command, environment: environment,
      endsOrphans: options.endsOrphans)
    try shell.makeTools()
    let linker = try linker(for: system)
    let copy = TreeCopy(
      of: project, to: folder.tree, list: folder.copyList, excluding: folder.path)
    let copied = try timed("copy", "\(project) to \(folder.tree)") { try copy.update() }
    try configure(system, shell, copied, linker)

    let identity = identity(system, linker)
    let state = (try? InputFile.bytes(folder.state)).map { $0.text(0..<$0.count) }
    if let state, state.hasPrefix(identity) {
      try build("build", system, shell, orders: true, linker)
      if state == identity + stamps(system, in: folder) { return result(folder, nil) }
    }
    return try order(system, shell, linker, identity)
  }

  private mutating func order(
    _ system: BuildSystem, _ shell: AutoShell, _ linker: OrderFileDialect, _ identity: String
  ) throws -> Result {
    let folder = shell.folder
    // What an earlier run has linked in its order.
    for image in images(system, in: folder)
    where OptionFile.exists(Array("\(folder.orders)/\(image.orderName)".utf8)) {
      image.removeForRelink()
    }
    folder.removeResults()
    try folder.makeResults()
    if system.imageFolder != nil { try writeToolset(folder) }
    try build("build", system, shell, orders: false, linker)
    let images = images(system, in: folder)
    guard !images.isEmpty else {
      let log = "\(folder.logs)/build.log"
      let line = FailureCause.line(in: LaunchLog(log).text)
      throw Diagnostic(
        "the build linked no image by a compiler of PATH"
          + (line.map { "; its output has: \($0)" } ?? ""),
        context: [system.build],
        hint:
          "let the project call its compiler by its name, such as CC=gcc, without a path; all output: \(log)"
      )
    }
    guard !options.launches.isEmpty else { throw noLaunch(images, folder) }

    let launches = ProjectLaunches(options.launches, images: images, shell)
    for launch in options.launches {
      try timed("launch", launch.command) { warnings += try launches.tryOut(launch) }
      commands.append(AutoDocument.Command(step: "launch", command: launch.command))
    }
    let recorded = try timed("record", "each launch") { try launches.record() }
    warnings += recorded.warnings
    guard !recorded.images.isEmpty else { throw noUse(images, folder) }
    let before = try timed("count", "pages of the launches") {
      try launches.pages(of: recorded.images)
    }
    let ordering = ProjectImages(recorded.images, traces: recorded.traces, of: system, in: folder)
    let orders = try timed("order", recorded.images.map(\.name).joined(separator: ", ")) {
      try ordering.writeOrders()
    }
    warnings += orders.warnings
    for image in recorded.images { image.removeForRelink() }
    try build("relink", system, shell, orders: true, linker)
    try ordering.keepOrdered()
    let after = try timed("count", "pages of the launches") {
      try launches.pages(of: recorded.images)
    }
    let checked = try timed("check", "the order of the images") {
      try ordering.check(orders.byPath, before: before, after: after)
    }
    warnings += checked.warnings
    let document = AutoDocument(
      folder: folder.path, commands: commands, launches: options.launches.map(\.command),
      method: recorded.method, images: checked.images, warnings: warnings.map { "\($0)" })
    try OutputFile(folder.summary("json")).finish(document.json())
    try OutputFile(folder.summary("md")).finish(Array(AutoMarkdown(document).text.utf8))
    try OutputFile(folder.summary("txt")).finish(Array(AutoText(document).text.utf8))
    try OutputFile(folder.state).finish(Array((identity + stamps(system, in: folder)).utf8))
    return result(folder, document)
  }

  private func result(_ folder: AutoFolder, _ document: AutoDocument?) -> Result {
    Result(
      document: document, text: folder.summary("txt"), json: folder.summary("json"),
      warnings: warnings)
  }

  // MARK: Building

  private func buildSystem(of project: String) throws(Diagnostic) -> BuildSystem {
    if let command = options.buildCommand {
      return BuildSystem(name: "command", build: command, clean: nil)
    }
    let hasNinja = (try? environment.program(named: "ninja")) != nil
    let names = Folder.names(in: project).filter { !TreeCopy.isMadeAgain("\(project)/\($0)") }
    let found = BuildSystem.all(in: Set(names), jobs: options.jobs, hasNinja: hasNinja)
    return try .only(of: found, wanted: options.buildSystem, project: project)
  }

  /// The linker to use where the project does not demand one.
  private func linker(for system: BuildSystem) throws(Diagnostic) -> OrderFileDialect {
    if let linker = options.linker {
      guard system.imageFolder == nil || linker == .lld else {
        throw Diagnostic(
          "unsupported linker: expected lld for a Swift package, found '\(linker)'",
          context: ["--linker"])
      }
      guard let name = linker.driverName, (try? environment.program(named: "ld.\(name)")) != nil
      else {
        throw Diagnostic(
          "missing linker: PATH has no ld.\(linker.driverName ?? linker.name)",
          context: ["--linker"])
      }
      return linker
    }
    for linker in [OrderFileDialect.lld, .gnuLD, .gold] {
      if let name = linker.driverName, (try? environment.program(named: "ld.\(name)")) != nil {
        return linker
      }
    }
    throw Diagnostic(
      "missing linker: PATH has none that can order: ld.lld, ld.bfd or ld.gold", context: ["PATH"],
      hint: "install the package lld")
  }

  private mutating func configure(
    _ system: BuildSystem, _ shell: AutoShell, _ copied: TreeCopy.Update, _ linker: OrderFileDialect
  ) throws(Diagnostic) {
    let folder = shell.folder
    let known = (try? InputFile.bytes(folder.configured)).map { $0.text(0..<$0.count) }
    let wanted = (system.configure ?? "") + "\n"
    if copied.isNew || known != wanted {
      Folder.remove(Array(folder.configured.utf8))
      Folder.remove(Array(folder.linkLog.utf8))
      if let command = system.configure {
        try step("configure", command, shell, orders: false, linker)
      }
      // Objects that were copied were not compiled for ordering. Not every project has this target.
      if let command = system.clean, copied.hasObjects {
        try step("clean", command, shell, orders: false, linker, mayFail: true)
      }
      try OutputFile(folder.configured).finish(Array(wanted.utf8))
    }
    if let command = system.configure {
      commands.append(AutoDocument.Command(step: "configure", command: command))
    }
  }

  private mutating func build(
    _ name: String, _ system: BuildSystem, _ shell: AutoShell, orders: Bool,
    _ linker: OrderFileDialect
  ) throws(Diagnostic) {
    try step(name, system.build, shell, orders: orders, linker)
    commands.append(AutoDocument.Command(step: name, command: system.build))
  }

  private func step(
    _ name: String, _ command: String, _ shell: AutoShell, orders: Bool, _ linker: OrderFileDialect,
    mayFail: Bool = false
  ) throws(Diagnostic) {
    try timed(name, command) { () throws(Diagnostic) in
      try shell.build(name, command, orders: orders, linker: linker.name, mayFail: mayFail)
    }
  }

  private func timed<R, E: Error>(_ name: String, _ text: String, _ body: () throws(E) -> R)
    throws(E) -> R
  {
    let start = ClockReading.now().nanoseconds
    progress(.begins(name, text))
    let result = try body()
    progress(.ends(name, text, nanoseconds: ClockReading.now().nanoseconds - start))
    return result
  }

  /// Writes the file with options for SwiftPM, which stays the same, and an order file without names.
  private func writeToolset(_ folder: AutoFolder) throws(Diagnostic) {
    let order = "--symbol-ordering-file=\(folder.packageOrder)"
    try OutputFile(folder.packageOrder).finish([])
    try OutputFile(folder.toolset).finish(
      SwiftToolset(linkerOptions: ["--build-id", order, "--no-warn-symbol-ordering"]).json())
  }

  // MARK: What is there

  private func images(_ system: BuildSystem, in folder: AutoFolder) -> [ProjectImage] {
    if let images = system.imageFolder { return ProjectImage.all(in: images, of: folder.tree) }
    return ProjectImage.all(of: LinkLog.links(inFileAt: folder.linkLog), in: folder.tree)
  }

  /// What decides about the results besides the images.
  private func identity(_ system: BuildSystem, _ linker: OrderFileDialect) -> String {
    let launches = options.launches.map { launch in
      // A launch may run something else if its input is another one.
      let input = launch.input.map { "\($0) \(ProjectImage.stamp(ofFileAt: $0))" } ?? ""
      return "launch \(launch.command)\0\(input)\0\(launch.readiness.map { "\($0)" } ?? "")"
    }
    return ([toolVersion, system.build, linker.name] + launches).map { "\($0)\n" }.joined()
  }

  private func stamps(_ system: BuildSystem, in folder: AutoFolder) -> String {
    images(system, in: folder).map { "\($0.path) \($0.stamp)\n" }.joined()
  }

  private func noLaunch(_ images: [ProjectImage], _ folder: AutoFolder) -> Diagnostic {
    Diagnostic(
      "missing a launch: the build made \(candidates(images, folder))", context: ["--launch"],
      hint:
        "give a command as you would type it in the project's folder: --launch '\(example(images, folder)) --help'",
      severity: .usage)
  }

  private func noUse(_ images: [ProjectImage], _ folder: AutoFolder) -> Diagnostic {
    Diagnostic(
      "the launches ran no image of the project: the build made \(candidates(images, folder))",
      context: ["--launch"],
      hint: "name one of these: --launch '\(example(images, folder)) --help'", severity: .usage)
  }

  private func programs(_ images: [ProjectImage], _ folder: AutoFolder) -> [String] {
    images.filter { !$0.isLibrary }.map { String($0.path.dropFirst(folder.tree.count + 1)) }
  }

  private func candidates(_ images: [ProjectImage], _ folder: AutoFolder) -> String {
    let programs = programs(images, folder)
    return programs.isEmpty
      ? "no program, only \(counted(images.count, "shared library", "shared libraries"))"
      : programs.prefix(20).joined(separator: ", ") + (programs.count > 20 ? ", ..." : "")
  }

  private func example(_ images: [ProjectImage], _ folder: AutoFolder) -> String {
    programs(images, folder).first.map(shellWord) ?? "PROGRAM"
  }
}
