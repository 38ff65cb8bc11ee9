import CommandSupport
import ImageModel
import Rendering

/// What the files in a project's folder show of its build.
package struct ProjectFacts: Hashable, Sendable {
  /// The build systems that `auto` finds.
  package var systems: [BuildSystem]
  /// The language of files in the project, if its programs can't be ordered; else `nil`.
  package var language: UnsupportedLanguage?
  /// The tools that a build system needs and `PATH` lacks, by the name of the system.
  package var missingTools: [String: [String]]
  /// Lines of build files that demand a linker, or name a compiler by its path.
  package var demands: [Demand]

  package struct Demand: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case linker(String)
      case compilerPath(String)
      case stripping
    }
    package var kind: Kind
    /// The file and the line, such as `CMakeLists.txt:12`.
    package var place: String

    package init(_ kind: Kind, at place: String) {
      self.kind = kind
      self.place = place
    }
  }

  package init(
    systems: [BuildSystem] = [], language: UnsupportedLanguage? = nil,
    missingTools: [String: [String]] = [:], demands: [Demand] = []
  ) {
    self.systems = systems
    self.language = language
    self.missingTools = missingTools
    self.demands = demands
  }

  /// - Parameter path: the path of the project's folder.
  init(of path: String, _ environment: LaunchEnvironment) {
    let names = Folder.names(in: path).filter { !TreeCopy.isMadeAgain("\(path)/\($0)") }
    systems = BuildSystem.all(in: Set(names), jobs: 1, generator: environment.generatorForCMake)
    language = UnsupportedLanguage(filesNamed: names)
    missingTools = [:]
    for system in systems {
      let tools = system.tools + (system.hasGenerators ? [environment.toolOfCMake] : [])
      missingTools[system.name] = tools.filter { !environment.has($0) }
    }
    demands = Self.buildFiles.filter {
      names.contains($0.split(separator: "/").first.map(String.init) ?? $0)
    }
    .flatMap { name in Self.demands(inFileAt: "\(path)/\(name)", called: name) }
  }

  private static let buildFiles = [
    "CMakeLists.txt", "CMakePresets.json", "meson.build", "Cargo.toml", ".cargo/config.toml",
    "Package.swift", "configure.ac", "Makefile.am", "GNUmakefile", "makefile", "Makefile",
  ]
  /// The size of the largest build file that is examined, in bytes: nobody writes larger files by hand.
  private static let greatestFile = 1 << 20

  private static func demands(inFileAt path: String, called name: String) -> [Demand] {
    guard let bytes = try? InputFile.bytes(path), bytes.count <= greatestFile else { return [] }
    return demands(in: bytes.text(0..<bytes.count), called: name)
  }

  /// - Complexity: O(*n*) for *n* bytes.
  package static func demands(in text: String, called name: String) -> [Demand] {
    var demands: [Demand] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.withoutBlanksAround
      if line.hasPrefix("#") || line.hasPrefix("//") { continue }
      let place = "\(name):\(index + 1)"
      for option in ["-fuse-ld=", "-use-ld=", "--ld-path="] {
        guard let found = line.firstRange(of: option) else { continue }
        let linker = line[found.upperBound...].prefix {
          $0.isLetter || $0.isNumber || "-_./".contains($0)
        }
        if !linker.isEmpty { demands.append(Demand(.linker(String(linker)), at: place)) }
        break
      }
      if let path = compilerPath(line) { demands.append(Demand(.compilerPath(path), at: place)) }
    }
    guard name == "Cargo.toml", let line = CargoStripping.line(for: "release", in: text) else {
      return demands
    }
    return demands + [Demand(.stripping, at: "\(name):\(line)")]
  }

  /// Returns the path in a line of a makefile such as `CC = /usr/bin/gcc`.
  private static func compilerPath(_ line: String) -> String? {
    guard line.hasPrefix("CC") || line.hasPrefix("CXX"), let equals = line.firstIndex(of: "=")
    else {
      return nil
    }
    let name = line[..<equals].filter { !" \t?:+".contains($0) }
    let value = line[line.index(after: equals)...].withoutBlanksAround
    return ["CC", "CXX"].contains(name) && value.hasPrefix("/") ? value : nil
  }
}

extension ProjectFacts {
  /// - Parameter tools: `nil` if no tool could be tried. Then there are no findings about linkers.
  package func findings(_ tools: ToolFacts?) -> [Finding] {
    // Parts in other languages can be ordered if a build system compiles them.
    let languages =
      language.map { [Finding.language($0, .project, systems.isEmpty ? .error : .warning)] } ?? []
    if systems.isEmpty, language != nil { return languages }
    return [system] + languages + missing(tools ?? ToolFacts())
      + demands.compactMap { finding($0, tools) }
  }

  private var system: Finding {
    let names = systems.map(\.name).joined(separator: ", ")
    return switch systems.count {
    case 0:
      Finding(
        .project, "build system", .warning,
        "found none of CMake, Meson, Cargo, SwiftPM, autotools and make",
        hint: "orderfile auto --launch 'COMMAND' -- BUILD COMMAND")
    case 1: Finding(.project, "build system", .ok, names)
    default:
      Finding(
        .project, "build system", .warning, "several: \(names)",
        hint: "orderfile auto --build-system \(systems[0].name) ...")
    }
  }

  private func missing(_ tools: ToolFacts) -> [Finding] {
    systems.flatMap { system in
      (missingTools[system.name] ?? []).map { tool in
        Finding(
          .project, tool, .error, "not in PATH, but \(system.name) needs it",
          hint: Self.hint(tool, tools))
      }
    }
  }

  private static func hint(_ tool: String, _ tools: ToolFacts) -> String {
    switch tool {
    case "swift": "https://www.swift.org/install"
    case "ninja": tools.install(tool, package: "ninja-build")
    case "autoreconf":
      tools.install("autoconf, automake and libtool", package: "autoconf automake libtool")
    default: tools.install(tool)
    }
  }

  private func finding(_ demand: Demand, _ tools: ToolFacts?) -> Finding? {
    switch demand.kind {
    case .linker(let name):
      guard let tools else { return nil }
      return tools.orders(with: BuildLinker(demandedBy: name))
        ? Finding(.project, "linker", .ok, "\(demand.place) demands \(name)")
        : Finding(
          .project, "linker", .warning,
          "\(demand.place) demands \(name), which is not in PATH or does not order functions",
          hint: "remove this demand, or demand lld")
    case .compilerPath(let path):
      return Finding(
        .project, "compiler", .warning,
        "\(demand.place) names \(path) by its path, so that 'auto' does not see the calls of this compiler",
        hint: "orderfile auto ... -- make CC=\(path.split(separator: "/").last ?? "cc")")
    case .stripping:
      return Finding(
        .project, "symbols", .warning,
        "\(demand.place) strips names, without which nothing can be ordered",
        hint: "build with CARGO_PROFILE_RELEASE_STRIP=none, as 'auto' does")
    }
  }
}
