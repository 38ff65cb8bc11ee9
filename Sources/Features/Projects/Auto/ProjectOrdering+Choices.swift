import CommandSupport
import ImageModel
import OrderFileFormat
import Rendering

// What `auto` builds a project with, and what it refuses to order: the build system, the linker, data.

extension ProjectOrdering {
  /// - Throws: `usage` if data can't be recorded or ordered in such a project.
  func checkData(_ system: BuildSystem) throws(Diagnostic) {
    guard options.ordersData else { return }
    guard system.toolchain.compilesC else {
      throw Diagnostic(
        "unable to order data: expected a project of C or C++, found \(system.name)",
        context: ["--data"],
        hint: "rustc and swiftc report no loads and stores; 'orderfile pages' and 'gen' order data "
          + "of any program: docs/how-to/DATA.md", severity: .usage)
    }
    guard !options.splits else {
      throw Diagnostic(
        "--data and --split can't be used together: no way of recording sees data and basic blocks",
        severity: .usage)
    }
  }

  func buildSystem(of project: String) throws(Diagnostic) -> BuildSystem {
    if let command = options.buildCommand {
      if let language = UnsupportedLanguage(command: command) {
        throw language.error(command.map(shellWord).joined(separator: " "))
      }
      return BuildSystem(command: command)
    }
    let names = Folder.names(in: project).filter { !TreeCopy.isMadeAgain("\(project)/\($0)") }
    let found = BuildSystem.all(
      in: Set(names), jobs: options.jobs, generator: environment.generatorForCMake)
    return try .only(
      of: found, wanted: options.buildSystem, language: UnsupportedLanguage(filesNamed: names),
      project: project)
  }

  /// The linker to use where the project does not demand one.
  func linker(for system: BuildSystem) throws(Diagnostic) -> OrderFileDialect {
    if options.ordersData, let linker = options.linker, !linker.ordersData {
      throw Diagnostic(
        "unable to order data with \(linker): expected lld", context: ["--linker"])
    }
    if let linker = options.linker {
      if let only = system.toolchain.onlyLinker, linker != only {
        throw Diagnostic(
          "unsupported linker: expected \(only) for a Swift package, found '\(linker)'",
          context: ["--linker"])
      }
      guard let name = linker.driverName else {
        throw Diagnostic(
          "unsupported linker: expected lld, gold or gnu-ld, found '\(linker)'",
          context: ["--linker"])
      }
      guard (try? environment.program(named: "ld.\(name)")) != nil else {
        throw Diagnostic(
          "missing linker: PATH has no ld.\(name)", context: ["--linker"],
          hint: "install it, or leave out --linker")
      }
      return linker
    }
    let linker = try environment.orderingLinker()
    guard linker.ordersData || !options.ordersData else {
      throw Diagnostic(
        "unable to order data: PATH has no ld.lld", context: ["--data"], hint: "install lld")
    }
    return linker
  }
}
