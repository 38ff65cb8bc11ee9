import ImageModel

/// The first hits of a launch, in time order.
package struct ReportLaunch: Sendable {
  package struct Hit: Sendable {
    package var nanoseconds: UInt64
    package var thread: Int
    package var name: SymbolName

    package init(nanoseconds: UInt64, thread: Int, name: SymbolName) {
      self.nanoseconds = nanoseconds
      self.thread = thread
      self.name = name
    }
  }

  package typealias Mark = (name: String, nanoseconds: UInt64)

  /// The greatest number of first hits in a report, and of marks.
  package static let mostHits = 25_000
  package static let mostMarks = 500

  /// The path of the trace.
  package var path: String
  package var hits: [Hit]
  package var marks: [Mark]
  private var (allHits, allMarks): (Int, Int)

  /// - Parameters:
  ///   - hits: the first hits, ascending by time; hits after the first `mostHits` are left out.
  ///   - marks: the marks; marks after the first `mostMarks` are left out.
  package init(path: String, hits: [Hit], marks: [Mark]) {
    self.path = path
    self.hits = Array(hits.prefix(Self.mostHits))
    self.marks = Array(marks.prefix(Self.mostMarks))
    (allHits, allMarks) = (hits.count, marks.count)
  }

  /// What was left out because there is too much of it.
  var limits: [Diagnostic] {
    var limits: [Diagnostic] = []
    if allHits > hits.count {
      limits.append(
        Diagnostic(
          "the report has the first \(hits.count) of \(allHits) first hits", context: [path]))
    }
    if allMarks > marks.count {
      limits.append(
        Diagnostic("the report has the first \(marks.count) of \(allMarks) marks", context: [path]))
    }
    return limits
  }
}
