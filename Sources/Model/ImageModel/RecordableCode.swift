/// How much of the code of an image could be recorded.
///
/// A prediction counts only recorded code. The more code a launch can run unseen, the less a prediction is worth.
package struct RecordableCode: Hashable, Sendable {
  /// What makes a function recordable.
  package enum Means: String, CaseIterable, Sendable {
    /// A function is recordable if the compiler inserted a call of the recorder into it.
    case callback
    case breakpoint
    /// All functions are recordable, because an emulator sees all code.
    case execution
  }

  /// The recordable part of all code that a project compiles or links in, without the C runtime's start files, linkage
  /// tables, the recorder, and code that compilers split off or merge after instrumentation.
  package struct Portion: Hashable, Sendable {
    package var recordable: UInt64
    package var all: UInt64

    package init(recordable: UInt64 = 0, all: UInt64 = 0) {
      self.recordable = recordable
      self.all = all
    }

    /// Whether at least `share` of all code is recordable; `nil` if there is no code.
    package func reaches(_ share: Share) -> Bool? {
      all > 0 ? share.isReached(by: recordable, of: all) : nil
    }

    /// Whether the recordable share is smaller than the share of `other`.
    package func isLess(than other: Portion) -> Bool {
      let (a, b) = (
        recordable.multipliedFullWidth(by: other.all), other.recordable.multipliedFullWidth(by: all)
      )
      return (a.high, a.low) < (b.high, b.low)
    }
  }

  /// The code of one compilation unit that could not be recorded.
  package struct Unit: Hashable, Sendable {
    /// The object file, archive member or source file; `nil` for all code whose file is unknown.
    package var name: SymbolName?
    /// The largest of the unit's functions that could not be recorded; `nil` if it has no name.
    package var largestFunction: SymbolName?
    package var functions: Int
    package var bytes: UInt64

    package init(
      name: SymbolName?, largestFunction: SymbolName? = nil, functions: Int = 0, bytes: UInt64 = 0
    ) {
      self.name = name
      self.largestFunction = largestFunction
      self.functions = functions
      self.bytes = bytes
    }
  }

  /// If a smaller share of the code is recordable, a warning names the rest. Fully instrumented programs have a larger
  /// share; see docs/what-it-prints/PREDICTION.md.
  package static let warningShare = Share(percent: 90)
  /// If a smaller share of the code is recordable, nothing is predicted.
  package static let leastShare = Share(percent: 50)

  package var means: Means
  package var functions: Portion
  /// The recordable bytes and all bytes of code; `nil` if only the functions could be counted.
  package var bytes: Portion?
  /// The code that could not be recorded, most bytes first.
  package var unseen: [Unit]

  package init(means: Means, functions: Portion, bytes: Portion?, unseen: [Unit] = []) {
    self.means = means
    self.functions = functions
    self.bytes = bytes
    self.unseen = unseen
  }

  /// The recordable portion of the bytes if it is known, else of the functions.
  package var portion: Portion { bytes ?? functions }
}
