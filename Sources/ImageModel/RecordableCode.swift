/// How much of the code of an image a recording could see.
///
/// A prediction counts what was seen. Code that could not be seen may run at any launch, so how much of it there
/// is says what a prediction is worth.
package struct RecordableCode: Hashable, Sendable {
  /// By what functions are seen.
  package enum Means: String, CaseIterable, Sendable {
    /// A call that the compiler put into each.
    case callback
    /// A breakpoint at each.
    case breakpoint
  }

  package struct Amount: Hashable, Sendable {
    package var functions: Int
    /// 0 where only the functions could be counted.
    package var bytes: UInt64

    package init(functions: Int = 0, bytes: UInt64 = 0) {
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// What could not be seen of one compilation unit.
  package struct Unit: Hashable, Sendable {
    /// The object file, archive member or source file; `nil` for all code of which none is known.
    package var name: SymbolName?
    /// The largest of its functions; `nil` if that has no name.
    package var largestFunction: SymbolName?
    package var amount: Amount

    package init(name: SymbolName?, largestFunction: SymbolName?, amount: Amount) {
      self.name = name
      self.largestFunction = largestFunction
      self.amount = amount
    }
  }

  /// Below this share of code that could be recorded, a warning says what could not. What compilers make of
  /// fully instrumented programs reaches it; docs/PREDICTION.md has the shares.
  package static let warningShare = 0.9
  /// Below this share, figures of what was recorded predict nothing about the whole.
  package static let leastShare = 0.5

  package var means: Means
  /// All that a project compiles or links in: without the C runtime's start files, linkage tables, the
  /// recorder, and what compilers split off or merge after instrumentation.
  package var all: Amount
  /// What could be seen of that.
  package var recordable: Amount
  /// The rest, most bytes first.
  package var unseen: [Unit]

  package init(means: Means, all: Amount, recordable: Amount, unseen: [Unit] = []) {
    self.means = means
    self.all = all
    self.recordable = recordable
    self.unseen = unseen
  }

  /// The share that could be seen, from 0 to 1: of bytes where they are known, else of functions; `nil` of an
  /// image without code.
  package var share: Double? {
    if all.bytes > 0 { return Double(recordable.bytes) / Double(all.bytes) }
    return all.functions > 0 ? Double(recordable.functions) / Double(all.functions) : nil
  }
}
