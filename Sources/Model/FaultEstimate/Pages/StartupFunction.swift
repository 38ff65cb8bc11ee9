import ImageModel

/// A function that launches used, or some of its blocks, in terms of one layout.
package struct StartupFunction: Sendable {
  /// The name shown to people; `nil` for code without a symbol.
  package var name: SymbolName?
  /// The parts that the launches used; empty if the layout lacks the function.
  package var parts: [Part]
  /// The alternatives that were not chosen. They count only for the largest number of pages.
  package var others: [Part] = []
  /// The number of the function: the blocks of one function have the same number.
  package var number: Int
  /// The size of the function in the recorded build, else in another layout; `nil` if it is unknown.
  package var bytesElsewhere: UInt64?
  /// The value of `MatchedFunction.isOnlyRecorded`.
  package var isOnlyRecorded = false
  package var bodies = 1
}
