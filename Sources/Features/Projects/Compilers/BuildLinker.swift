import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

/// The linker of a build, and the order files that it takes.
package struct BuildLinker: Hashable, Sendable, CustomStringConvertible {
  /// The name after `-fuse-ld=`, without a folder and a version: `lld`, `bfd`, `gold`, `mold`.
  package let name: String

  /// The linker that a build demands.
  ///
  /// - Parameter option: the value of `-fuse-ld=` or `--ld-path=`.
  package init(demandedBy option: String) { name = OrderFileDialect.driverName(of: option) }

  /// - Parameter dialect: the dialect of a linker for ELF images.
  package init(_ dialect: OrderFileDialect) { name = dialect.driverName ?? dialect.name }

  /// The linker that wrote an image.
  ///
  /// - Parameter statement: what the image states, `LLD 19.1.4`; `nil` if the image states no linker: GNU ld does not name
  ///   itself.
  package init(stating statement: String?) {
    let dialect = statement.map { OrderFileDialect(linkerStating: $0) } ?? .gnuLD
    name = dialect?.driverName ?? statement?.prefix { $0 != " " }.lowercased() ?? ""
  }

  /// The linker that wrote the image in `bytes`.
  package init(ofImage bytes: FileBytes) { self.init(stating: BuildFacts.linker(ofImage: bytes)) }

  /// The dialect of the linker's order files; `nil` if the linker takes no order files.
  package var dialect: OrderFileDialect? { OrderFileDialect(driverName: name) }

  /// The linker's name in sentences: `GNU ld` for `bfd`.
  package var title: String { dialect?.title ?? name }

  package var description: String { name }

  /// The remedy for a linker that places functions by the names of sections; empty for other linkers.
  private var renaming: [Remedy] {
    RenamingLinker(name: name).map { [Remedy("keep it, and rename sections with \($0.command)")] }
      ?? []
  }

  /// Returns the dialect of the linker's order files.
  ///
  /// - Parameter image: the name or path of the linked image, for the error.
  /// - Throws: an error with a hint if the linker takes no order files.
  package func orderingDialect(of image: String) throws(Diagnostic) -> OrderFileDialect {
    if let dialect { return dialect }
    throw Diagnostic(
      "not ordered: the project links this image with \(name), which can't order", context: [image],
      remedies: [
        Remedy("remove -fuse-ld=\(name) from the project's flags"),
        Remedy("replace it by lld, gold or bfd"),
      ] + renaming)
  }
}
