import ImageModel
import LibC

/// A library of this package that is loaded into other programs. Its file is beside this command, or where `make
/// install` puts it.
package enum OwnLibrary {
  /// Returns the path of the recorder that is linked into instrumented programs. `make install` or `make runtime` puts
  /// it there.
  package static func recorder() throws(Diagnostic) -> String {
    let name = "orderfile_rt.o"
    let own = (try? Folder.ownCommand()) ?? ""
    let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
    let candidates = ["../lib", "../../runtime"].map { "\(folder)/\($0)/\(name)" }
    guard let path = candidates.first(where: { access($0, R_OK) == 0 }) else {
      throw Diagnostic(
        "missing \(name): expected it in ../lib of this command's folder", context: [own],
        hint: "make runtime")
    }
    return try Folder.absolutePath(path)
  }

  /// - Parameter product: the name of the product in Package.swift that builds the library.
  package static func path(_ name: String, product: String) throws(Diagnostic) -> String {
    let own = (try? Folder.ownCommand()) ?? ""
    let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
    let candidates = ["\(folder)/\(name)", "\(folder)/../lib/orderfile/\(name)"]
    guard let path = candidates.first(where: { access($0, R_OK) == 0 }) else {
      throw Diagnostic(
        "missing \(name): expected it beside this command, or in ../lib/orderfile",
        context: [own], hint: "build it: swift build --product \(product)")
    }
    return path
  }
}
