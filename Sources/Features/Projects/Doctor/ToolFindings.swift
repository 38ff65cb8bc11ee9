import ImageModel
import OrderFileFormat
import Recording
import Rendering

extension ToolFacts {
  package var findings: [Finding] {
    compilerFindings + linkers.map(finding) + brokenTools + defaultLinkers
      + [splitting, emulation]
  }

  private var compilerFindings: [Finding] {
    guard compilers.isEmpty else {
      return compilers.map { Finding(.tools, $0.name, .ok, $0.version) }
    }
    return [
      Finding(
        .tools, "compiler", .error, "no working compiler in PATH: cc, gcc or clang",
        hint: install("clang"))
    ]
  }

  private var brokenTools: [Finding] {
    broken.map { tool in
      Finding(
        .tools, tool.name,
        tool.name == Self.usualLinker.title && orderingLinkers.isEmpty ? .error : .warning,
        "this tool does not work: \(tool.output ?? "it printed nothing")",
        hint: "install \(tool.name) again")
    }
  }

  private func finding(_ linker: LinkerFacts) -> Finding {
    guard let version = linker.version else {
      return linker.isUsual
        ? Finding(
          .tools, "lld", orderingLinkers.isEmpty ? .error : .warning, "PATH has no ld.lld",
          hint: install("lld"))
        : Finding(.tools, linker.name, .ok, "not in PATH, and not needed")
    }
    guard let orders = linker.ordersFunctions else {
      return Finding(
        .tools, linker.name, .warning,
        "\(version): not tried, because there is no working compiler",
        hint: compilers.isEmpty ? install("clang") : "\(compilers[0].name) -c file.c")
    }
    if let renaming = linker.renaming {
      return Finding(
        .tools, linker.name, .ok,
        "\(version): takes no order file, but places functions together that \(renaming.command) renames (tried)"
      )
    }
    guard orders else {
      return Finding(
        .tools, linker.name, .warning, "\(version): does not order functions (tried)",
        hint: useLLD)
    }
    let data = linker.ordersData ?? false ? "functions and data" : "functions, but no data"
    let maps = linker.writesMaps ?? false ? "link maps" : "no link maps"
    return Finding(
      .tools, linker.name, .ok, "\(version): orders \(data), writes \(maps) (tried)")
  }

  private static let usualLinker = OrderFileDialect.usual(for: .elf)

  /// The hint that says how to link with lld on this machine.
  private var useLLD: String {
    let isHere = linkers.contains { $0.isUsual && $0.version != nil }
    return (isHere ? "" : "\(install("lld")), and ") + "link with -fuse-ld=lld"
  }

  /// For each compiler, a finding about the linker that it calls by default.
  private var defaultLinkers: [Finding] {
    compilers.map { compiler in
      let check = "default linker of \(compiler.name)"
      guard let linker = compiler.linker else {
        return Finding(
          .tools, check, .warning, "unknown: -Wl,--version printed no linker's name", hint: useLLD)
      }
      let dialect = OrderFileDialect(linkerStating: linker)
      if dialect?.isUsual ?? false { return Finding(.tools, check, .ok, linker) }
      if orderingLinkers.contains(where: \.isUsual) {
        return Finding(.tools, check, .ok, "\(linker); -fuse-ld=lld chooses lld")
      }
      let lack = dialect == nil ? " takes no order files" : " takes no order files of lld"
      let other = dialect.map { "; or write its order files: orderfile gen --linker \($0)" }
      return Finding(.tools, check, .warning, linker + lack, hint: useLLD + (other ?? ""))
    }
  }

  private var splitting: Finding {
    let able = compilers.filter { $0.splits ?? false }.map(\.name)
    let tools = able + [bolt.map { "llvm-bolt (\($0))" }].compactMap { $0 }
    if tools.isEmpty {
      return Finding(
        .tools, "splitting functions", .warning,
        "needs clang 19 or later, or llvm-bolt; only for gen --split-profile",
        hint: install("llvm-bolt", package: "bolt-19"))
    }
    let lack = bolt == nil ? ", no llvm-bolt" : ""
    return Finding(.tools, "splitting functions", .ok, tools.joined(separator: ", ") + lack)
  }

  private var emulation: Finding {
    guard emulators.isEmpty else {
      return Finding(.tools, "qemu-user", .ok, emulators.joined(separator: ", "))
    }
    let lack =
      staticEmulators.isEmpty
      ? "not in PATH"
      : "\(staticEmulators.joined(separator: ", ")): statically linked, and so without plugins"
    return Finding(
      .tools, "qemu-user", .warning, "\(lack); only for record --qemu", hint: Emulator.hint)
  }
}
