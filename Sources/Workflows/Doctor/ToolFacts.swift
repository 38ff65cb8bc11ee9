import ImageModel
import OrderFileFormat

/// The compilers, linkers and other tools of `PATH`, and what they did when they were tried.
package struct ToolFacts: Hashable, Sendable {
  package struct Compiler: Hashable, Sendable {
    package var name: String
    package var version: String
    /// What the linker says about itself that it calls by default; `nil` if it calls none.
    package var linker: String?
    /// Whether it splits functions by a profile of clusters; `nil` for gcc, which has no such option.
    package var splits: Bool?

    package init(_ name: String, version: String, linker: String? = nil, splits: Bool? = nil) {
      self.name = name
      self.version = version
      self.linker = linker
      self.splits = splits
    }
  }

  package var compilers: [Compiler] = []
  package var linkers: [LinkerFacts] = []
  /// The version of llvm-bolt; `nil` if there is none.
  package var bolt: String?
  /// The emulators of programs, by their names: `qemu-aarch64`.
  package var emulators: [String] = []
  /// How a package is installed here, with a blank at the end: `apt-get install `.
  package var installer = "install the package "

  package init() {}

  /// The linkers that order functions.
  package var orderingLinkers: [LinkerFacts] { linkers.filter { $0.ordersFunctions ?? false } }
}

extension ToolFacts {
  /// Tries the tools of this machine. It takes about a second.
  init(_ trials: ToolTrials) throws(Diagnostic) {
    let found = Self.compilerPaths(trials)
    compilers = found.compactMap { name, path in
      guard let version = trials.run([path, "--version"])?.firstLine else { return nil }
      return Compiler(
        name, version: LinkerTrial.version(version), linker: Self.linker(of: path, trials),
        splits: version.contains("clang") ? Self.splits(path, trials) : nil)
    }
    let trial = try LinkerTrial(trials, compiler: found.first?.path)
    linkers = [
      try trial.facts("lld", ["ld.lld"], .lld), try trial.facts("gold", ["ld.gold"], .gold),
      try trial.facts("GNU ld", ["ld.bfd"], .gnuLD),
      // It takes options of GNU ld and of lld.
      try trial.facts("mold", ["ld.mold", "mold"], .lld),
    ]
    let bolts = ["llvm-bolt"] + (14...30).reversed().map { "llvm-bolt-\($0)" }
    if let path = bolts.lazy.compactMap(trials.tool).first {
      let lines = trials.run([path, "--version"])?.output.split(separator: "\n") ?? []
      let version = lines.first { $0.contains("LLVM version") }
      bolt = version?.withoutBlanksAround ?? path
    }
    emulators = ["qemu-x86_64", "qemu-aarch64", "qemu-riscv64"].filter { trials.tool($0) != nil }
    let installers = ["apt-get", "dnf", "zypper", "apk add", "pacman -S"]
    let installer = installers.first { trials.tool(String($0.prefix { $0 != " " })) != nil }
    if let installer { self.installer = installer + (installer.contains(" ") ? " " : " install ") }
  }

  /// The compilers of C by the names that builds use, each compiler once; another of `PATH` if there is none of these.
  private static func compilerPaths(_ trials: ToolTrials) -> [(name: String, path: String)] {
    var found: [(name: String, path: String)] = []
    var known: Set<String> = []
    let others = CompilerSearch.compilers(in: trials.environment.searchPath ?? "")
    for name in ["clang", "gcc", "cc"] + others.filter({ !$0.contains("++") }) {
      guard let path = trials.tool(name), let real = try? Folder.absolutePath(path) else {
        continue
      }
      let isUsual = ["clang", "gcc", "cc"].contains(name)
      if (isUsual || found.isEmpty) && known.insert(real).inserted { found.append((name, path)) }
    }
    return found
  }

  private static let linkerNames = ["mold", "LLD", "GNU gold", "GNU ld"]

  /// What the linker says that the compiler calls by default.
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
