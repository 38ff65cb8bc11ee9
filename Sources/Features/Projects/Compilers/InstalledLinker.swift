import CommandSupport
import ImageModel
import OrderFileFormat

extension LaunchEnvironment {
  /// Returns the best linker in `PATH` that can order functions.
  ///
  /// - Throws: if `PATH` has no such linker.
  func orderingLinker() throws(Diagnostic) -> OrderFileDialect {
    for linker in [OrderFileDialect.lld, .gnuLD, .gold] {
      if let name = linker.driverName, (try? program(named: "ld.\(name)")) != nil { return linker }
    }
    throw Diagnostic(
      "missing linker: PATH has no linker that can order (ld.lld, ld.bfd or ld.gold)",
      context: ["PATH"],
      hint: "install the package lld")
  }
}
