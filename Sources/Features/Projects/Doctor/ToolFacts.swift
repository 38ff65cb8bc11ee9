import CommandSupport
import ImageModel
import OrderFileFormat
import Recording

/// The compilers, linkers and other tools of `PATH`, and the results of trying them.
package struct ToolFacts: Hashable, Sendable {
  package struct Compiler: Hashable, Sendable {
    package var name: String
    package var version: String
    /// The name and version of the linker that the compiler calls by default; `nil` if that linker prints no known
    /// name.
    package var linker: String?
    /// Whether the compiler splits functions by a profile that lists basic blocks; `nil` for gcc, which has no such
    /// option.
    package var splits: Bool?

    package init(_ name: String, version: String, linker: String? = nil, splits: Bool? = nil) {
      self.name = name
      self.version = version
      self.linker = linker
      self.splits = splits
    }
  }

  /// A tool that failed when it was asked for its version.
  package struct BrokenTool: Hashable, Sendable {
    package var name: String
    /// The first line of the tool's output; `nil` if it printed nothing.
    package var output: String?

    package init(_ name: String, output: String?) {
      self.name = name
      self.output = output
    }
  }

  package var compilers: [Compiler] = []
  /// Compilers and linkers in `PATH` that do not start, and compilers that compile nothing.
  package var broken: [BrokenTool] = []
  package var linkers: [LinkerFacts] = []
  /// The version of llvm-bolt; `nil` if `PATH` has none.
  package var bolt: String?
  /// The names of the emulators that load plugins: `qemu-aarch64`.
  package var emulators: [String] = []
  /// The names of the emulators that load no plugins, because they are statically linked.
  package var staticEmulators: [String] = []
  /// Whether the machine has APT. Hints then use the names of its packages.
  package var hasAPT = false

  package init() {}

  /// Returns how to install `tool` on this machine.
  ///
  /// - Parameter package: the name of the tool's Debian package; `nil` if it is the name of the tool.
  package func install(_ tool: String, package: String? = nil) -> String {
    hasAPT ? "apt-get install \(package ?? tool)" : "install \(tool)"
  }

  /// The linkers that order functions.
  package var orderingLinkers: [LinkerFacts] { linkers.filter { $0.ordersFunctions ?? false } }

  /// Whether this linker orders functions.
  func orders(with linker: BuildLinker) -> Bool { orderingLinkers.contains { $0.linker == linker } }
}

extension ToolFacts {
  /// Tries the tools of this machine. It takes about a second.
  init(_ trials: ToolTrials) throws(Diagnostic) {
    var paths: [String] = []
    for (name, path, isUsual) in Self.compilerPaths(trials) where isUsual || compilers.isEmpty {
      let run = trials.run([path, "--version"])
      guard let version = run?.version else {
        broken.append(BrokenTool(name, output: run?.firstLine))
        continue
      }
      if let failure = try Self.failureToCompile(name, path, trials) {
        broken.append(BrokenTool(name, output: failure))
        continue
      }
      paths.append(path)
      compilers.append(
        Compiler(
          name, version: LinkerTrial.version(version), linker: Self.linker(of: path, trials),
          splits: version.contains("clang") ? Self.splits(path, trials) : nil))
    }
    let trial = try LinkerTrial(trials, compilers: paths)
    let wanted: [(linker: BuildLinker, programs: [String], dialect: OrderFileDialect)] = [
      (BuildLinker(.lld), ["ld.lld"], .lld), (BuildLinker(.gold), ["ld.gold"], .gold),
      (BuildLinker(.gnuLD), ["ld.bfd"], .gnuLD),
      // mold is tried with the options and the order file of lld, which mold takes.
      (BuildLinker(demandedBy: "mold"), ["ld.mold", "mold"], .lld),
    ]
    for (linker, programs, dialect) in wanted {
      let path = programs.lazy.compactMap(trials.tool).first
      let run = path.flatMap { trials.run([$0, "--version"]) }
      if let path, let version = run?.version {
        linkers.append(try trial.facts(linker, path, version, dialect))
      } else if path != nil {
        broken.append(BrokenTool(linker.title, output: run?.firstLine))
      } else {
        linkers.append(LinkerFacts(linker))
      }
    }
    let bolts = ["llvm-bolt"] + (14...30).reversed().map { "llvm-bolt-\($0)" }
    for path in bolts.compactMap(trials.tool) where bolt == nil {
      guard let run = trials.run([path, "--version"]), run.succeeded else { continue }
      let version = run.output.split(separator: "\n").first { $0.contains("LLVM version") }
      bolt = version?.withoutBlanksAround ?? path
    }
    for name in ["qemu-x86_64", "qemu-aarch64", "qemu-riscv64"] {
      guard let path = trials.tool(name) else { continue }
      if Emulator.loadsPlugins(path) {
        emulators.append(name)
      } else {
        staticEmulators.append(name)
      }
    }
    hasAPT = trials.environment.has("apt-get")
  }

  /// Returns the first line of the compiler's output if it can't compile a function; `nil` if it can.
  private static func failureToCompile(
    _ name: String, _ path: String, _ trials: ToolTrials
  ) throws(Diagnostic) -> String? {
    try trials.write("int of_function(void) { return 0; }\n", to: "function.c")
    let object = trials.path("function-\(name).o")
    let run = trials.run([path, "-c", trials.path("function.c"), "-o", object])
    if run?.succeeded ?? false, Folder.hasFile(object) { return nil }
    return run?.firstLine ?? "it compiles nothing"
  }

  /// Returns the C compilers, each once. Compilers with the names that builds use come first.
  private static func compilerPaths(
    _ trials: ToolTrials
  ) -> [(name: String, path: String, isUsual: Bool)] {
    var known: Set<String> = []
    let usual = ["clang", "gcc", "cc"]
    let others = CompilerSearch.compilers(in: trials.environment.searchPath ?? "")
    return (usual + others.filter { !$0.contains("++") }).compactMap { name in
      guard let path = trials.tool(name), let real = try? Folder.absolutePath(path),
        // Links to a file that is no compiler are told apart by their names: with ccache, all compilers are links to
        // one file.
        known.insert(CompilerSearch.isCompiler(fileName(ofPath: real)) ? real : "\(real) \(name)")
          .inserted
      else { return nil }
      return (name, path, usual.contains(name))
    }
  }

  private static let linkerNames = ["mold", "LLD", "GNU gold", "GNU ld"]

  /// Returns the name and version of the linker that the compiler calls by default.
  private static func linker(of compiler: String, _ trials: ToolTrials) -> String? {
    guard let output = trials.run([compiler, "-Wl,--version"])?.output else { return nil }
    let line = output.split(separator: "\n").first { line in
      linkerNames.contains { line.hasPrefix($0) }
    }
    return line.map { LinkerTrial.version(String($0)) }
  }

  /// Whether clang puts a block that a profile does not list into a part of its own.
  private static func splits(_ compiler: String, _ trials: ToolTrials) -> Bool {
    let source = "int of_b(int); int of_a(int n) { if (n > 3) return of_b(n) * 2; return n + 1; }\n"
    do {
      try trials.write(source, to: "split.c")
      try trials.write("v1\nf of_a\nc 0\n", to: "split.clusters")
    } catch { return false }
    let run = trials.run([
      compiler, "-O1", "-S", "-fbasic-block-sections=list=\(trials.path("split.clusters"))",
      trials.path("split.c"), "-o", trials.path("split.s"),
    ])
    guard run?.succeeded ?? false, let bytes = try? InputFile.bytes(trials.path("split.s")) else {
      return false
    }
    return bytes.text(0..<bytes.count).contains("of_a.cold:")
  }
}
