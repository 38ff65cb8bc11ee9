/// A linker that a configuration file of cargo names, and that no compiler wrapper sees.
package struct CargoLinker: Hashable, Sendable {
  /// The path of the configuration file, and the number of the line that names the linker.
  package var place: String
  /// The environment variable that replaces the setting; `nil` if no variable replaces it.
  package var variable: String?

  /// Finds the first linker that no wrapper sees in the configuration files that cargo reads in `folder`, an absolute
  /// path; `nil` if the files name no linker of this kind.
  package init?(namedIn folder: String) {
    for file in CargoSettings.configurationFiles(in: folder) {
      if let found = Self(in: file.text, path: file.path) {
        self = found
        return
      }
    }
    return nil
  }

  /// - Parameter text: the contents of a configuration file.
  package init?(in text: String, path: String) {
    let line = CargoSettings(text).lines.first { line in
      guard line.table.hasPrefix("[target."), line.setting.hasPrefix("linker=") else {
        return false
      }
      let name = line.setting.dropFirst("linker=".count).filter { $0 != "\"" && $0 != "'" }
      return !CompilerSearch.isCompiler(name)
    }
    guard let line else { return nil }
    place = "\(path):\(line.number)"
    let target = line.table.dropFirst("[target.".count).dropLast()
    guard !target.isEmpty, target.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) })
    else { return }
    variable =
      "CARGO_TARGET_" + target.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
      + "_LINKER"
  }

  /// What to do so that the wrappers see the links.
  var remedy: String {
    "\(place) names a linker by its path, or a linker that is no compiler: name a compiler, such as linker = \"cc\""
      + (variable.map { "; for this command alone: \($0)=cc orderfile auto ..." } ?? "")
  }
}
