import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile report`: what the page draws.
///
/// Other commands' documents are in it as they are. What they lack, the layouts have: which function is where, and which
/// bytes of it a launch touches.
package struct ReportDocument: Sendable {
  /// The name of the image.
  package var title: String
  package var pageSize: PageSize
  /// The layout before and the layout after, or the only one, which is the layout after; empty if no image was given.
  package var layouts: [ReportLayout] = []
  /// `nil` if no trace was given, or if none has times.
  package var launch: ReportLaunch?
  package var diff: DiffDocument?
  package var measure: MeasureDocument?
  /// The lines of a history; empty if none was given.
  package var history: [any JSONDocument] = []
  /// The change points of these lines.
  package var trend: (any JSONDocument)?
  /// The views without data.
  package var absentViews: [AbsentView] = []

  /// A view without data, and the command that makes the data.
  package struct AbsentView: Sendable {
    package var view: String
    package var command: String

    package init(view: String, command: String) {
      self.view = view
      self.command = command
    }
  }

  package init(title: String, pageSize: PageSize) {
    self.title = title
    self.pageSize = pageSize
  }
}

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

  /// The first hits that a report contains at most.
  package static let mostHits = 50_000

  package var hits: [Hit]
  package var marks: [(name: String, nanoseconds: UInt64)]

  /// - Parameter hits: ascending by time; those beyond `mostHits` are left out.
  package init(hits: [Hit], marks: [(name: String, nanoseconds: UInt64)]) {
    self.hits = Array(hits.prefix(Self.mostHits))
    self.marks = marks
  }
}
