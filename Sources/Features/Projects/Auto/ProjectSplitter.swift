import CommandSupport
import ImageModel
import Rendering

/// The tool that splits the functions of a project.
package enum ProjectSplitter: Hashable, Sendable {
  /// The compiler splits: it compiles everything again, by the profile. clang and the LLVM of rustc can split.
  case compiler
  /// lld splits, at link-time optimization.
  case linker
}

extension ProjectSplitter {
  /// Finds out which tool splits the functions of a project.
  ///
  /// - Parameters:
  ///   - toolchain: the compilers that the project's build system calls.
  ///   - project: the project's folder, which may choose the version of rustc.
  /// - Throws: if lld has to split, and the installed lld can't.
  init(
    of toolchain: Toolchain, project: String, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    switch toolchain {
    case .c: self = .compiler
    case .rust:
      let trials = try ToolTrials(in: environment)
      let rustc = RustCompiler(for: project, trials)
      if rustc.splits {
        self = .compiler
      } else {
        try SplittingLinker(trials.tool("ld.lld"), trials).check(
          llvm: rustc.llvm,
          because: "the LLVM of rustc\(rustc.llvm.map { ", \($0)," } ?? "") can't",
          remedy: "use rustc 1.82 or later, whose LLVM splits functions itself")
        self = .linker
      }
    case .swift:
      let trials = try ToolTrials(in: environment)
      // swiftc links by clang, which prefers the linker in its own folder.
      let own = trials.tool("swift").flatMap { try? Folder.absolutePath($0) }.map {
        String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.endIndex)) + "/ld.lld"
      }
      let path = own.flatMap { Folder.hasFile($0) ? $0 : nil } ?? trials.tool("ld.lld")
      try SplittingLinker(path, trials).check(
        llvm: nil, because: "swiftc can't",
        remedy: "install a Swift toolchain that contains ld.lld")
      self = .linker
    }
  }
}

/// The rustc that cargo calls in a project's folder.
private struct RustCompiler {
  /// The major version of rustc's LLVM; `nil` if rustc does not state it.
  let llvm: Int?
  /// Whether rustc's LLVM takes the options that write a map of basic blocks and split functions. If rustc can't be
  /// called, this is `true`: the build then names the cause.
  let splits: Bool

  init(for project: String, _ trials: ToolTrials) {
    func run(_ words: String) -> ToolTrials.Run? {
      trials.run([
        "/bin/sh", "-c", "cd \(shellWord(project)) && \"${RUSTC:-rustc}\" \(words) </dev/null",
      ])
    }
    let line = run("-vV")?.output.split(separator: "\n").first { $0.hasPrefix("LLVM version: ") }
    llvm = line.flatMap { Int($0.dropFirst(14).prefix(while: \.isNumber)) }
    let compiled = run(
      "- --crate-name trial --crate-type lib --emit=obj -o \(shellWord(trials.path("trial.o"))) "
        + "-Cllvm-args=-basic-block-address-map")
    splits = line == nil || compiled?.succeeded ?? true
  }
}

/// The lld that splits functions.
private struct SplittingLinker {
  /// The first major version of lld that splits by a profile and writes a map of basic blocks.
  private static let first = 19

  /// The major version of lld; `nil` if lld is not installed.
  private let version: Int?
  private let splits: Bool

  /// - Parameter path: the path of lld; `nil` if lld is not installed.
  init(_ path: String?, _ trials: ToolTrials) {
    let text = path.flatMap { trials.run([$0, "--version"])?.output } ?? ""
    version = text.firstRange(of: "LLD ").flatMap {
      Int(text[$0.upperBound...].prefix(while: \.isNumber))
    }
    splits =
      path.flatMap { trials.run([$0, "--help"])?.output.contains(Self.option) } ?? false
  }

  private static let option = "--lto-basic-block-address-map"

  /// - Parameters:
  ///   - llvm: the major version of the compiler's LLVM, which lld has to read; `nil` if it is not known.
  ///   - reason: why the linker has to split.
  ///   - remedy: what the user can do in place of installing a newer lld.
  /// - Throws: if lld is missing or too old.
  func check(llvm: Int?, because reason: String, remedy: String) throws(Diagnostic) {
    let needed = max(Self.first, llvm ?? 0)
    guard let version, splits, version >= needed else {
      throw Diagnostic(
        "unable to split: lld has to split, because \(reason): expected lld \(needed) or later, found "
          + (version.map { "lld \($0)" } ?? "no ld.lld in PATH"),
        context: ["--split"],
        hint: "put ld.lld of LLVM \(needed) or later first in PATH, or \(remedy)")
    }
  }
}
