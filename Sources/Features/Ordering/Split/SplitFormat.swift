import CommandSupport
import ImageModel
import OrderFileFormat
import Symbolication

/// The format of a profile by which a tool splits functions: it lists the basic blocks of each function that ran, and the tool
/// places the other blocks elsewhere. Each format has a file of its own. To add a format, write such a file and add the
/// format to `all`.
package struct SplitFormat: Sendable {
  /// The format's name on the command line.
  package let name: String
  /// Whether a linker places the parts; otherwise the tool that splits functions places them.
  package let isForLinker: Bool
  /// Returns a clause that says what to do with the profile at `path`: `order it with llvm-bolt --data=app.profile`. The path is
  /// quoted for a shell. "and link it with" can follow the clause.
  package let use: @Sendable (_ path: String) -> String
  /// Makes the profile and the order of the parts of split functions.
  package let write: @Sendable (SplitRequest) throws(Diagnostic) -> SplitOrder

  /// All formats, the usual format first.
  package static let all: [SplitFormat] = [.clang, .bolt]

  /// The format of that `name`, if there is one.
  package init?(name: String) {
    guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  init(
    name: String, isForLinker: Bool, use: @escaping @Sendable (_ path: String) -> String,
    write: @escaping @Sendable (SplitRequest) throws(Diagnostic) -> SplitOrder
  ) {
    self.name = name
    self.isForLinker = isForLinker
    self.use = use
    self.write = write
  }
}

/// The inputs of a profile for splitting functions.
package struct SplitRequest {
  /// The build whose code is to be split.
  let release: ReleaseLayout
  /// The functions of `release` by name.
  let names: SymbolMap
  /// Whole functions in the order of first uses. The aliases of a function are adjacent.
  let order: [Part]
  let executed: ExecutedCode
  /// The environment in which the tool is looked up.
  let environment: LaunchEnvironment
  /// The lines of the comment at the top of the profile.
  let header: [String]
}

/// A profile, and the order of the parts that the tool will make.
package struct SplitOrder {
  /// The bytes of the profile.
  var profile: [UInt8]
  /// The parts that run, in the order of first uses. The part with a function's first byte has the function's name.
  var parts: [Part]
  /// The parts that are placed after all of `parts`: large functions that may run, then the parts that the tool splits
  /// off, in the order of `parts` or, after an edit, the smallest first.
  var splitOff: [Part]
  var summary: SplitSummary
  /// The order file, if the tool does not take a linker's order file.
  var orderFile: OwnOrderFile?
  var warnings: [Diagnostic] = []

  struct OwnOrderFile {
    var bytes: [UInt8]
    var entries: Int
    /// The command to type next, for the paths of the order file and of the profile.
    var command: (_ order: String, _ profile: String) -> String
  }
}
