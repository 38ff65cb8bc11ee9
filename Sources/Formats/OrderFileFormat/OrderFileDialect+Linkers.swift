// The names of linkers: after a driver's -fuse-ld=, as a program, and as a linker states its own name.

extension OrderFileDialect {
  /// The name of a linker without folder, prefix and version, in the form of `driverName`: `lld` of `lld-19` and
  /// `/usr/bin/ld.lld`, `bfd` of `ld`, `mold` of `mold`.
  ///
  /// - Parameter demanded: the text after `-fuse-ld=` or `--ld-path=`.
  package static func driverName(of demanded: String) -> String {
    var name = demanded.lastIndex(of: "/").map { demanded[$0...].dropFirst() } ?? demanded[...]
    if name.hasPrefix("ld.") { name = name.dropFirst(3) }
    if let hyphen = name.lastIndex(of: "-"), name[hyphen...].dropFirst().allSatisfy(\.isNumber) {
      name = name[..<hyphen]
    }
    return name == "ld" ? "bfd" : String(name)
  }

  /// The dialect of the linker that `-fuse-ld=` or `--ld-path=` demands; `nil` if it takes no order files.
  package init?(driverName demanded: String) {
    let name = Self.driverName(of: demanded)
    guard let dialect = Self.all.first(where: { $0.driverName == name }) else { return nil }
    self = dialect
  }

  /// The dialect of the linker whose statement about itself is `text`; `nil` if it takes no order files. Distributions
  /// put their name before the statement: `Debian LLD 19.1.7`.
  package init?(linkerStating text: String) {
    let dialect = Self.all.first { dialect in
      dialect.statements.contains { text.hasPrefix($0) || text.contains(" \($0) ") }
    }
    guard let dialect else { return nil }
    self = dialect
  }

  /// The names of the dialects of linkers for ELF images, the usual one first.
  package static var namesForELF: [String] {
    all.filter { $0.imageFormat == .elf }.map(\.name).reversed()
  }

  /// The names of the linkers for ELF as text: `lld, gold or gnu-ld`.
  package static var listForELF: String {
    let names = namesForELF
    return names.dropLast().joined(separator: ", ") + (names.last.map { " or \($0)" } ?? "")
  }
}
