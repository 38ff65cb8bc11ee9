import ImageModel
import OrderFileFormat

/// The settings of a compiler wrapper, which environment variables pass to it. `auto` writes the variables, and each
/// call of a compiler reads them.
package struct WrapperSettings: Hashable, Sendable {
  /// The linker to use; a link that demands another linker gets that linker.
  package var linker = OrderFileDialect.lld
  /// The path of the file in which links are noted (`LinkLog`).
  package var links: Word?
  /// The folder with the order files: the link of `NAME` takes `NAME.order` and, if it exists, the source file
  /// `NAME-prefetch.c`, which is compiled to `NAME-prefetch.o`.
  package var orders: Word?
  /// The folder for link maps: the link of `NAME` writes `NAME.map`.
  package var maps: Word?
  /// The path of the recorder, `orderfile_rt.o`, if the build is to record itself.
  package var recorder: Word?
  /// Whether data are ordered, too: each variable gets a section, and a build that records itself also records data.
  package var data = false
  /// The path of the profile by which clang, rustc or lld splits functions; `nil` if functions stay whole. Each object
  /// gets a map of its basic blocks and, once the profile exists, is split.
  package var split: Word?
  /// Whether rustc leaves the generation of code to the linker, which then splits functions.
  package var bitcode = false
  /// Further options for calls that compile and for calls that link. `orderfile advise` gives them.
  package var compileOptions: [Word] = []
  package var linkOptions: [Word] = []

  package init() {}

  private static let linkerVariable = "ORDERFILE_LINKER"
  private static let dataVariable = "ORDERFILE_DATA"
  private static let bitcodeVariable = "ORDERFILE_BITCODE"
  package static let recorderVariable = "ORDERFILE_RECORDER"
  /// The environment variables whose values are words separated by blanks, and the settings that they set.
  private static var options: [(variable: String, setting: WritableKeyPath<Self, [Word]>)] {
    [("ORDERFILE_CFLAGS", \.compileOptions), ("ORDERFILE_LDFLAGS", \.linkOptions)]
  }
  /// The environment variables whose values are paths, and the settings that they set.
  private static var paths: [(variable: String, setting: WritableKeyPath<Self, Word?>)] {
    [
      ("ORDERFILE_LINKS", \.links), ("ORDERFILE_ORDERS", \.orders), ("ORDERFILE_MAPS", \.maps),
      (recorderVariable, \.recorder), ("ORDERFILE_SPLIT", \.split),
    ]
  }

  /// Reads the settings. An empty variable counts as not set. If no variable names the linker, it is lld if `PATH` has
  /// lld, else GNU ld.
  ///
  /// - Parameter variable: returns the value of an environment variable; empty if it is not set.
  /// - Throws: if the linker is not known.
  package init(reading variable: (String) -> Word) throws(Diagnostic) {
    let name = String(decoding: variable(Self.linkerVariable), as: UTF8.self)
    if let dialect = OrderFileDialect(name: name), dialect.driverName != nil {
      linker = dialect
    } else if !name.isEmpty {
      throw Diagnostic(
        "unknown linker: expected \(OrderFileDialect.listForELF), found '\(name)'",
        context: [Self.linkerVariable])
    } else if CompilerSearch(Array("ld.lld".utf8), in: variable("PATH")).compiler == nil {
      linker = .gnuLD
    }
    data = !variable(Self.dataVariable).isEmpty
    bitcode = !variable(Self.bitcodeVariable).isEmpty
    for (name, setting) in Self.paths {
      let path = variable(name)
      if !path.isEmpty { self[keyPath: setting] = path }
    }
    for (name, setting) in Self.options {
      self[keyPath: setting] = variable(name).split(separator: UInt8(ascii: " ")).map { Array($0) }
    }
  }

  /// The environment variables with these settings. The variable of a setting that is `nil` is empty, so that wrappers do not
  /// read the value in the user's environment.
  package var variables: [(name: String, value: String)] {
    [
      (Self.linkerVariable, linker.name), (Self.dataVariable, data ? "1" : ""),
      (Self.bitcodeVariable, bitcode ? "1" : ""),
    ]
      + Self.paths.map {
        ($0.variable, String(decoding: self[keyPath: $0.setting] ?? [], as: UTF8.self))
      }
      + Self.options.map {
        (
          $0.variable,
          String(
            decoding: Array(self[keyPath: $0.setting].joined(separator: [0x20])), as: UTF8.self)
        )
      }
  }
}
