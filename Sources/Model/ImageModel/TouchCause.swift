/// The reason why a launch touches bytes of an image.
///
/// Rows of an estimate are in the order of the cases. Raw values appear in documents.
package enum TouchCause: String, CaseIterable, Sendable {
  /// The bytes are of a function that a trace recorded.
  case startupFunction = "startupFunctions"
  /// The bytes are of a section that a launch reads completely, or in an unknown part.
  case wholeSection = "whole"
  /// An entry of a procedure linkage table, through which functions of other images are called.
  case linkageTable
  /// Code of the C runtime's start files: `_start`, `_init`, `frame_dummy`.
  case cRuntime
  /// The bytes are of a function that the loader calls before `main` or at exit.
  case initializer
  /// The bytes are of a body into which the compiler merged several functions, which jump to it.
  case mergedBody
  /// The bytes are data between functions that code reads: a constant or a jump table.
  case constant
  /// The image's header and the bytes after it on the first page: program headers, load commands.
  case header = "firstPage"

  /// Whether the bytes are executed; otherwise a launch only reads them, or executes an unknown part of them.
  package var isExecuted: Bool {
    switch self {
    case .startupFunction, .linkageTable, .cRuntime, .initializer, .mergedBody: true
    case .wholeSection, .constant, .header: false
    }
  }
}

extension TouchCause: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
  private var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
