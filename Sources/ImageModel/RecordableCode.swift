/// How much of the code of an image could be recorded.
///
/// A prediction counts only recorded code. The more code a launch can run unseen, the less a prediction is worth.
package struct RecordableCode: Hashable, Sendable {
  /// What makes a function recordable.
  package enum Means: String, CaseIterable, Sendable {
    /// A call that the compiler inserted.
    case callback
    case breakpoint
  }

  package struct Amount: Hashable, Sendable {
    package var functions: Int
    /// 0 if only the functions could be counted.
    package var bytes: UInt64

    package init(functions: Int = 0, bytes: UInt64 = 0) {
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// The code of one compilation unit that could not be recorded.
  package struct Unit: Hashable, Sendable {
    /// The object file, archive member or source file; `nil` for all code whose file is unknown.
    package var name: SymbolName?
    /// The largest of these functions; `nil` if it has no name.
    package var largestFunction: SymbolName?
    package var amount: Amount

    package init(name: SymbolName?, largestFunction: SymbolName?, amount: Amount) {
      self.name = name
      self.largestFunction = largestFunction
      self.amount = amount
    }
  }

  /// If a smaller share of the code is recordable, a warning names the rest. Fully instrumented programs have a larger
  /// share; see docs/PREDICTION.md.
  package static let warningShare = 0.9
  /// If a smaller share of the code is recordable, nothing is predicted.
  package static let leastShare = 0.5

  package var means: Means
  /// All code that a project compiles or links in, without the C runtime's start files, linkage tables, the recorder,
  /// and what compilers split off or merge after instrumentation.
  package var all: Amount
  /// The recordable part of `all`.
  package var recordable: Amount
  /// The rest of `all`, most bytes first.
  package var unseen: [Unit]

  package init(means: Means, all: Amount, recordable: Amount, unseen: [Unit] = []) {
    self.means = means
    self.all = all
    self.recordable = recordable
    self.unseen = unseen
  }

  /// The recordable share, from 0 to 1: of the bytes if they are known, else of the functions; `nil` for an image
  /// without code.
  package var share: Double? {
    if all.bytes > 0 { return Double(recordable.bytes) / Double(all.bytes) }
    return all.functions > 0 ? Double(recordable.functions) / Double(all.functions) : nil
  }
}
