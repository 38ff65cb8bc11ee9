/// Why a launch touches bytes of an image.
///
/// Rows of an estimate come in the order of the cases. Raw values are the words of documents.
package enum TouchCause: String, CaseIterable, Sendable {
  /// A function that a trace names.
  case startupFunction = "startupFunctions"
  /// A section of which a launch reads all, or an unknown part.
  case wholeSection = "whole"
  /// An entry of a procedure linkage table, through which functions of other images are called.
  case linkageTable
  /// What the C runtime's start files bring: `_start`, `_init`, `frame_dummy`.
  case cRuntime
  /// Called by the loader before `main` or at exit.
  case initializer
  /// The body that the compiler made of several functions, behind one that jumps there.
  case mergedBody
  /// Data between functions that code reads: a constant, a jump table.
  case constant
  /// The image's header and what follows it on its page: program headers, load commands.
  case header = "firstPage"

  /// The bytes are executed; else a launch only reads them, or which of them it executes is unknown.
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
