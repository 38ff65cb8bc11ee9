import FaultEstimate
import ImageModel
import JSON
import Measuring
import PagesFormat
import Prediction

/// The result of `orderfile report`: what the page draws.
///
/// The documents of other commands are members of it, unchanged. The layouts add what these documents lack: the place
/// of each function, and the bytes of it that a launch touches.
package struct ReportDocument: Sendable {
  /// The name of the image.
  package var title: String
  package var pageSize: PageSize
  /// The layout before and the layout after, or the only one; empty if no image was given.
  package var layouts: [ReportLayout] = []
  /// The fault curves of further layouts.
  package var otherLayouts: [OtherLayout] = []
  /// The paths of the traces, in the order in which they were given.
  package var traces: [String] = []
  /// The first launch whose trace has times; `nil` if no trace has times.
  package var launch: ReportLaunch?
  package var diff: DiffDocument?
  /// The startup functions of the layout after that the linker did not place as the order file asks, from the first byte of
  /// the layout; `nil` without an order file, or with one layout.
  package var outsideOrder: [Int]?
  /// The symbols with other sizes in the layout after, largest changes first; empty with one layout.
  package var symbolChanges: [SymbolChange] = []
  package var measure: MeasureDocument?
  package var stages: [ReportStages] = []
  /// The page faults of launches without a tracer.
  package var faults: [ReportFaults] = []
  /// The lines of a history; empty if none was given.
  package var history: [any JSONDocument] = []
  /// The change points in the figures of the history.
  package var trend: (any JSONDocument)?
  /// The limits of a budget; `nil` if none was given.
  package var budget: (any JSONDocument)?
  /// The verdict on the limits of a budget; `nil` if none was given.
  package var check: (any JSONDocument)?
  /// How many limits of the budget have each outcome, worst first: the document of the check may have only the worst limits.
  package var outcomes: [(outcome: String, limits: Int)] = []
  /// What the document of the check lacks because there is too much of it.
  package var limitsOfCheck: [Diagnostic] = []
  /// The documents that state too little to check that they are about the layouts' program, as sentences.
  package var unproved: [String] = []
  /// Whether `measure` launched other builds than the layouts: its times say nothing about the layouts.
  package var measuresOtherBuilds = false
  /// The steps that would save pages, of all documents; empty if no document states any.
  package var nextSteps: [NextStep] = []
  /// The views without data.
  package var absentViews: [AbsentView] = []

  /// A layout for which only the fault curve is shown.
  package struct OtherLayout: Sendable {
    package var path: String
    package var curve: [FaultCurvePoint]

    package init(path: String, curve: [FaultCurvePoint]) {
      self.path = path
      self.curve = curve
    }
  }

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

  /// The layout before and the layout after; `nil` if there is one layout, or none.
  var bothLayouts: (before: ReportLayout, after: ReportLayout)? {
    layouts.count == 2 ? (layouts[0], layouts[1]) : nil
  }

  /// What was left out because there is too much of it.
  package var limits: [Diagnostic] {
    layouts.flatMap { layout in
      layout.limits(pageSize).map { Diagnostic($0, context: [layout.path]) }
    } + (launch?.limits ?? []) + faults.flatMap(\.limits) + limitsOfCheck
  }
}
