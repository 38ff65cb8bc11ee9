// What keeps a program from being ordered on this machine: `orderfile doctor`.
//
// `Doctor` first gathers facts, then makes findings of them. It gathers facts by trying (it links with each linker, and
// traces a program), by reading the kernel's settings, and by reading the project's files or the image. It concludes
// nothing from a version or a name that it can find out by trying. Each group of facts is a value (`ToolFacts`,
// `PermissionFacts`, `MachineFacts`, `ProjectFacts`, `ImageFacts`), so that tests can make findings without the
// machine.

import ByteReading
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Rendering
import Symbolication

package struct Doctor {
  private let path: String?
  private let architecture: Architecture?
  private let command: String
  private let environment: LaunchEnvironment

  /// - Parameters:
  ///   - path: the path of a project's folder, an image or a link map; `nil` for the current folder if that has a
  ///     project, else for this machine alone.
  ///   - architecture: the architecture of the slice to examine in a universal file.
  ///   - command: the path of this command.
  package init(
    _ path: String?, architecture: Architecture? = nil, command: String,
    in environment: LaunchEnvironment
  ) {
    self.path = path
    self.architecture = architecture
    self.command = command
    self.environment = environment
  }

  /// What `doctor` examines in addition to the machine.
  private enum Subject {
    case machine
    case project(ProjectFacts)
    case image(ImageFacts)
    case linkMap(Layout)

    /// The contents of the image's file; `nil` if no image is examined.
    var bytes: FileBytes? {
      get throws {
        guard case .image(let facts) = self else { return nil }
        return try InputFile.bytes(facts.image.path)
      }
    }

    /// The build system of a project; `nil` if it has none, or several.
    var system: BuildSystem? {
      guard case .project(let facts) = self, facts.systems.count == 1 else { return nil }
      return facts.systems[0]
    }
  }

  /// Examines the machine and the file or folder at `path`. It takes about a second.
  ///
  /// - Throws: if there is nothing at `path`, or if it is neither a folder, an image nor a link map.
  package func examine() throws(Diagnostic) -> (document: DoctorDocument, warnings: [Diagnostic]) {
    var warnings: [Diagnostic] = []
    let (subject, place) = try subject(&warnings)
    let trials = Result { () throws(Diagnostic) in try ToolTrials(in: environment) }
    let tools = try (try? trials.get()).map { trials throws(Diagnostic) in try ToolFacts(trials) }
    let permissions = PermissionFacts(trials, in: environment, command: command)
    let machine = MachineFacts(of: place)
    var methods = RecordingMethods(tracing: permissions.refusalOfBreakpoints, in: environment)
    methods.consider(subject.system, in: environment)
    let hugePages = HugePageFacts(
      kernel: machine.machine.kernel, fileSystem: machine.storage.fileSystem,
      image: (try? subject.bytes) ?? nil)
    var findings = (tools?.findings ?? []) + permissions.findings(methods) + machine.findings
    if machine.isLinux { findings.append(hugePages.finding) }
    var obstacles = AutoObstacles.ofMachine(tools, permissions, machine)
    var canBeRun = true
    let kind: DoctorDocument.Subject
    switch subject {
    case .machine: kind = .machine
    case .project(let facts):
      kind = .project
      findings += facts.findings(tools)
      obstacles += AutoObstacles.of(facts, tools)
    case .image(let facts):
      kind = .image
      findings += facts.findings
      let imageObstacles = AutoObstacles.of(facts)
      obstacles += imageObstacles
      canBeRun = imageObstacles.isEmpty
      methods.consider(facts.image.path, in: environment)
    case .linkMap(let layout):
      kind = .linkMap
      findings.append(.functionSections(ofLinkMap: layout))
    }
    if machine.isLinux, canBeRun {
      findings.append(methods.finding)
      obstacles += [methods.obstacle].compactMap { $0 }
    }
    findings.append(AutoObstacles.finding(obstacles))
    let shown = kind == .machine ? nil : path ?? place
    return (
      DoctorDocument(subject: kind, path: shown, findings: findings, obstacles: obstacles), warnings
    )
  }

  /// Returns the subject at `path`, and its absolute path.
  private func subject(_ warnings: inout [Diagnostic]) throws(Diagnostic) -> (Subject, String) {
    let place = try Folder.absolutePath(path ?? ".")
    var status = stat()
    if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      let facts = ProjectFacts(of: place, environment)
      let isProject = !facts.systems.isEmpty || facts.language != nil
      return path == nil && !isProject ? (.machine, place) : (.project(facts), place)
    }
    let name = path ?? place
    let wrapper = LibtoolWrapper(at: name)
    let file = wrapper?.program ?? name
    warnings += [wrapper?.note].compactMap { $0 }
    let bytes = try InputFile.bytes(file)
    switch FileKind(of: bytes) {
    case .objectFile:
      let (image, problems) = try Image.reading(
        bytes, path: file, slice: SliceChoice(architecture))
      warnings += problems.filter { $0.kind != .missingSymbolTable }
      return (.image(ImageFacts(image, in: bytes)), place)
    case .linkMap:
      return (.linkMap(try ReleaseLayout(bytes, path: file).layout), place)
    case .trace, .profile, .payload, .other:
      throw Diagnostic(
        "unsupported file: expected a project's folder, a linked image or a link map, found \(Self.wording(bytes.copy(0..<min(2, bytes.count))))",
        context: [file])
    }
  }

  private static func wording(_ beginning: [UInt8]) -> String {
    switch beginning {
    case []: "an empty file"
    case Array("#!".utf8): "a script"
    default: "another file"
    }
  }
}

extension DoctorDocument {
  /// The error with which `doctor` ends; `nil` if `auto` can succeed.
  package var problem: Diagnostic? {
    canSucceed
      ? nil
      : Diagnostic(
        "'orderfile auto' can't succeed: \(obstacles.joined(separator: ", "))",
        severity: .checkFailed)
  }
}

/// The reasons why `auto` can't succeed, each in a few words. `RecordingMethods.obstacle` is the reason why it can't
/// record.
package enum AutoObstacles {
  /// - Parameter tools: `nil` if no tool could be tried.
  package static func ofMachine(
    _ tools: ToolFacts?, _ permissions: PermissionFacts, _ machine: MachineFacts
  ) -> [String] {
    var obstacles: [String] = []
    if !machine.isLinux { obstacles.append("this is not Linux") }
    if let tools {
      if tools.compilers.isEmpty { obstacles.append("no compiler") }
      if tools.orderingLinkers.isEmpty { obstacles.append("no linker that orders functions") }
    } else {
      obstacles.append("no temporary folder in which the tools could be tried")
    }
    if case .fails = permissions.confinement { obstacles.append("builds can't be confined") }
    return obstacles
  }

  /// Returns the obstacles of a project. If one of several build systems has no obstacle, the project has none. If
  /// there is no build system, the user gives the build command, so only an unsupported language is an obstacle.
  package static func of(_ project: ProjectFacts, _ tools: ToolFacts?) -> [String] {
    if project.systems.isEmpty, let language = project.language { return [language.wording] }
    let obstacles = project.systems.map { system -> [String] in
      let missing = (project.missingTools[system.name] ?? []).map { "no \($0)" }
      guard let tools, let only = system.toolchain.onlyLinker,
        !tools.orders(with: BuildLinker(only))
      else { return missing }
      return missing + ["no \(only), which Swift packages need"]
    }
    return obstacles.contains([]) ? [] : obstacles.first ?? []
  }

  package static func of(_ image: ImageFacts) -> [String] {
    if image.build?.isMadeByGo ?? false { return [UnsupportedLanguage.go.wording] }
    return image.image.layout.imageFormat == .machO ? ["Mach-O images can't be run here"] : []
  }

  /// Returns the last finding of a report: whether there are obstacles.
  package static func finding(_ obstacles: [String]) -> Finding {
    obstacles.isEmpty
      ? Finding(.auto, "obstacles", .ok, "none")
      : Finding(
        .auto, "obstacles", .error, obstacles.joined(separator: ", "))
  }
}
