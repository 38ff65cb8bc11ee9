import CommandSupport
import ImageModel
import Rendering

/// The way in which an order file gets into the builds of one build system.
package enum OrderFilePlace: Hashable, Sendable {
  /// A file that CMakeLists.txt includes.
  case cmakeFile
  /// A folder with a file that meson.build reads.
  case mesonFolder
  /// The build script of a package.
  case cargoBuildScript
  /// A file with options for SwiftPM's linker.
  case swiftToolset

  /// The file that describes the project.
  package var descriptionFile: String {
    switch self {
    case .cmakeFile: "CMakeLists.txt"
    case .mesonFolder: "meson.build"
    case .cargoBuildScript: "Cargo.toml"
    case .swiftToolset: "Package.swift"
    }
  }
}

/// How a project is built: the commands to run in its folder.
package struct BuildSystem: Hashable, Sendable {
  /// `make`, `autotools`, `cmake`, `meson`, `cargo`, `swiftpm`; `command` for a command that the user gives.
  package var name: String
  /// The command that has to run once, before the first build.
  package var configure: String?
  package var build: String
  /// The command that removes the results of another build from the folder; `nil` if such results do no harm.
  package var clean: String?
  /// The compilers that the build system calls.
  package var toolchain: Toolchain
  /// The programs that the build system needs, apart from compilers.
  package var tools: [String]
  /// Whether the build system generates files for another build tool, which `CMAKE_GENERATOR` chooses.
  package var hasGenerators: Bool
  /// Where `init` puts an order file into the project's build; `nil` if the build has no place for one.
  package var orderFilePlace: OrderFilePlace?
  /// Whether `build` may also configure, as the user's own command may.
  package var buildConfigures = false

  /// The folder in which the build system puts images; `nil` if the wrappers note what is linked.
  package var imageFolder: String? { toolchain.imageFolder }

  /// Whether the build system takes options for compilers and linkers from a toolset, because no wrapper sees them.
  var usesToolset: Bool { imageFolder != nil }

  /// The build system with the option for link-time optimization by lld. For cargo, which has no such option,
  /// `linkOptimizationVariables` choose it.
  var optimizingAtLink: BuildSystem {
    var system = self
    if case .swift = toolchain { system.build += " \(Self.swiftLinkOptimization)" }
    return system
  }

  static let swiftLinkOptimization = "--experimental-lto-mode=full"

  /// The environment variables with which cargo leaves code generation to the link. cargo then compiles to bitcode what
  /// the linked crates need, and to machine code what build scripts and procedural macros need. `RustWrapper` makes the
  /// linker, not rustc, generate the code.
  var linkOptimizationVariables: [(name: String, value: String)] {
    guard toolchain == .rust else { return [] }
    let words = CargoWords(build.split(separator: " ").map(String.init))
    let name = words.profile.uppercased().map { $0 == "-" ? "_" : $0 }
    let prefix = "CARGO_PROFILE_\(String(name))_"
    return [("\(prefix)LTO", "fat"), ("\(prefix)CODEGEN_UNITS", "1")]
  }

  /// Identifies the configuration of a folder: the command that configures it, which the user's own command may do, and
  /// the variables that choose compilers. No build system compiles again if these change. The text ends with an empty
  /// line.
  func configuration(in environment: LaunchEnvironment) -> String {
    let command = configure ?? (buildConfigures ? build : "")
    let variables = environment.compilerVariables.map { "\($0.name)=\($0.value)\n" }
    return command + "\n" + variables.joined() + "\n"
  }

  package init(
    name: String, configure: String? = nil, build: String, clean: String? = nil,
    toolchain: Toolchain = .c, tools: [String] = [], hasGenerators: Bool = false,
    orderFilePlace: OrderFilePlace? = nil
  ) {
    self.name = name
    self.configure = configure
    self.build = build
    self.clean = clean
    self.toolchain = toolchain
    self.tools = tools
    self.hasGenerators = hasGenerators
    self.orderFilePlace = orderFilePlace
  }

  /// Makes a build system of the user's own command. A command of SwiftPM or cargo gets the options that `auto` adds.
  ///
  /// `swift build` and `cargo build` build for release unless they name a configuration: a user who wants to order
  /// another build names it.
  ///
  /// - Parameter words: the words of the command, at least one.
  package init(command words: [String]) {
    let options = words.prefix { $0 != "--" }.dropFirst(2)
    func has(_ names: String...) -> Bool {
      options.contains { word in names.contains { word == $0 || word.hasPrefix("\($0)=") } }
    }
    func value(_ spellings: String...) -> String? {
      var found: String?
      for (word, next) in zip(options, options.dropFirst() + [""]) {
        for spelling in spellings {
          if word == spelling { found = next }
          if word.hasPrefix("\(spelling)=") { found = String(word.dropFirst(spelling.count + 1)) }
        }
      }
      return found
    }
    func command(_ added: String?) -> String {
      let (verb, rest) = (words.prefix(2), words.dropFirst(2))
      return (verb.map(shellWord) + [added].compactMap { $0 } + rest.map(shellWord))
        .joined(separator: " ")
    }
    switch words.prefix(2) {
    case ["swift", "build"]:
      let configuration = value("-c", "--configuration")
      let folder =
        value("--scratch-path", "--build-path") ?? (value("--package-path").map { "\($0)/" } ?? "")
        + ".build"
      self.init(
        name: "swiftpm",
        build: command(configuration == nil ? "-c release" : nil) + " " + Self.swiftOptions,
        toolchain: .swift(imageFolder: "\(folder)/\(configuration ?? "release")"))
    case ["cargo", "build"], ["cargo", "b"]:
      let isChosen = has("--release", "-r", "--profile")
      self.init(
        name: "cargo", build: command(isChosen ? nil : "--release"), toolchain: .rust)
    default:
      self.init(name: "command", build: words.map(shellWord).joined(separator: " "))
      buildConfigures = true
    }
  }

  /// SwiftPM calls its compilers and linkers by their paths, and takes options for them from a file.
  private static let swiftOptions =
    "--toolset \"$\(SwiftToolset.variable)\" --cache-path \"$TMPDIR/swiftpm\" "
    + "--config-path \"$TMPDIR/swiftpm\" --security-path \"$TMPDIR/swiftpm\" --manifest-cache local"

  /// Returns the build systems of the folder with the files `names`, without those whose files another build system generates.
  /// SwiftPM is first: a package may have CMake's files for systems that have no SwiftPM.
  ///
  /// - Parameters:
  ///   - jobs: how many commands may run at the same time; `nil` for what the build system chooses.
  ///   - generator: the generator that CMake has to use; `nil` for CMake's own choice, with which projects are usually
  ///     tried.
  package static func all(
    in names: Set<String>, jobs: Int? = nil, generator: String? = nil
  ) -> [BuildSystem] {
    let folder = shellWord(names.contains("build") ? "build-orderfile" : "build")
    let parallel = jobs.map { " -j \($0)" } ?? ""
    var found: [BuildSystem] = []
    if names.contains("Package.swift") {
      found.append(
        BuildSystem(
          name: "swiftpm", build: "swift build -c release\(parallel) \(swiftOptions)",
          toolchain: .swift(imageFolder: ".build/release"), tools: ["swift"],
          orderFilePlace: .swiftToolset))
    }
    if names.contains("CMakeLists.txt") {
      let generator = generator.map { " -G \(shellWord($0))" } ?? ""
      found.append(
        BuildSystem(
          name: "cmake",
          configure: "cmake -S . -B \(folder)\(generator) -DCMAKE_BUILD_TYPE=Release",
          build: "cmake --build \(folder)\(parallel)", tools: ["cmake"], hasGenerators: true,
          orderFilePlace: .cmakeFile))
    }
    if names.contains("meson.build") {
      found.append(
        BuildSystem(
          name: "meson", configure: "meson setup \(folder) --buildtype=release",
          build: "meson compile -C \(folder)\(parallel)", tools: ["meson", "ninja"],
          orderFilePlace: .mesonFolder))
    }
    if names.contains("Cargo.toml") {
      found.append(
        BuildSystem(
          name: "cargo", build: "cargo build --release\(parallel)", toolchain: .rust,
          tools: ["cargo"], orderFilePlace: .cargoBuildScript))
    }
    let make = "make\(parallel)"
    if names.contains("configure") {
      found.append(
        BuildSystem(
          name: "autotools", configure: "./configure", build: make, clean: "make clean",
          tools: ["make"]))
    } else if names.contains("autogen.sh") {
      found.append(
        BuildSystem(
          name: "autotools", configure: "NOCONFIGURE=1 ./autogen.sh && ./configure", build: make,
          clean: "make clean", tools: ["make"]))
    } else if names.contains("configure.ac") || names.contains("configure.in") {
      found.append(
        BuildSystem(
          name: "autotools", configure: "autoreconf -fi && ./configure", build: make,
          clean: "make clean", tools: ["make", "autoreconf"]))
    } else if !names.isDisjoint(with: ["GNUmakefile", "makefile", "Makefile"]) {
      found.append(
        BuildSystem(name: "make", build: make, clean: "make clean", tools: ["make"]))
    }
    return found
  }

  /// Returns the build system that the user wants, or the only one in `found`.
  ///
  /// - Parameters:
  ///   - wanted: the name that the user gives; `nil` if the user gives none.
  ///   - language: a language of files in the project whose programs can't be ordered.
  ///   - project: the path of the project.
  ///   - hint: what to try if there is no build system.
  /// - Throws: if there is no such build system, or if there are several.
  package static func only(
    of found: [BuildSystem], wanted: String?, language: UnsupportedLanguage? = nil, project: String,
    hint: String = "with any command that builds it: orderfile auto ... -- ./build.sh"
  ) throws(Diagnostic) -> BuildSystem {
    let candidates = wanted == nil ? found : found.filter { $0.name == wanted }
    if candidates.count == 1 { return candidates[0] }
    if found.isEmpty, let language { throw language.error(project) }
    let names = found.map(\.name).joined(separator: ", ")
    if candidates.isEmpty {
      throw Diagnostic(
        found.isEmpty
          ? "no build system: expected CMakeLists.txt, meson.build, Cargo.toml, Package.swift, configure or a makefile"
          : "no build system '\(wanted ?? "")': found \(names)",
        context: [project],
        hint: hint, severity: .usage)
    }
    throw Diagnostic(
      "several build systems: \(names)", context: [project],
      hint: "choose one: --build-system \(candidates[0].name)", severity: .usage)
  }
}

extension LaunchEnvironment {
  /// The generator that the user has chosen for CMake.
  private var chosenGenerator: String? {
    compilerVariables.first { $0.name == "CMAKE_GENERATOR" }?.value
  }

  /// The generator that CMake has to use: Ninja if `PATH` has ninja and lacks make, which CMake would choose; `nil` if CMake's
  /// own choice can be used.
  var generatorForCMake: String? {
    chosenGenerator == nil && !has("make") && has("ninja") ? "Ninja" : nil
  }

  /// The build tool that CMake calls.
  var toolOfCMake: String {
    (chosenGenerator ?? generatorForCMake)?.contains("Ninja") ?? false ? "ninja" : "make"
  }
}
