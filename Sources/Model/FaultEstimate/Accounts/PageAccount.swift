// The account of a prediction: why predicted and executed pages differ
//
// A launch is predicted to execute code on some pages; `orderfile pages` measured the pages on which it did.
// Each page that is in only one of the two sets has one cause. The cause is found from
//
//     executed, not predicted       the first instruction that ran there, and its function
//     predicted, not executed       the predicted range with the most bytes there
//
//     cause           executed, not predicted              predicted, not executed
//     functionPart    -                                    the rest of a function that was entered elsewhere
//     otherPath       a function or block that could be    a function that did not run this time
//                     recorded but did not run then
//     newCode         a function that the recorded build   -
//                     lacks
//     noEntry         a function that nobody recorded      -
//     mergedBody      a body that several share            such a body
//     coldPart        a part split off from a function     such a part
//     linkageTable    an entry that no known call targets  an entry whose call did not run
//     cRuntime, initializer                                such code
//     noSymbol        code that no symbol names            -
//
// So predicted + (executed, not predicted) - (predicted, not executed) = executed, for each page size; a test
// checks this for random launches. Pages that were only read are listed separately, because no code on them
// ran.
//
// What it leaves out: why a function that could be recorded ran in one launch and not in the other. And a
// page with two causes, such as a merged body next to an unrecorded function, has only the first.

import Addresses
import ImageModel

/// The predicted and the measured pages of a layout, and each page that is only predicted or only executed.
package struct PageAccount: Sendable {
  /// Why a page is only predicted or only executed; the table above explains each cause.
  package enum Cause: Hashable, Sendable {
    case functionPart, otherPath, newCode, noEntry, coldPart, noSymbol
    /// The page has code that no trace names, for this cause.
    case touch(TouchCause)
  }

  /// A page that is only predicted or only executed.
  package struct Difference: Hashable, Sendable {
    /// The address of the first byte of the page.
    package var page: StatedAddress
    package var wasExecuted: Bool
    package var cause: Cause
    /// The function that ran on the page, or was predicted to run there; `nil` if it has no name.
    package var function: SymbolName?
  }

  /// The counts for one page size.
  package struct Count: Hashable, Sendable {
    package var pageSize: PageSize
    package var predicted: Int
    package var executed: Int
  }

  /// The counts for pages of 4, 16 and 64 KiB.
  package let counts: [Count]
  /// The pages of `pageSize` that are only predicted or only executed, ascending by address.
  package let differences: [Difference]
  package let pageSize: PageSize
  /// The number of pages of `pageSize` that were read but not executed: of pages that were predicted to be executed,
  /// and of all pages.
  package let pagesRead: (predicted: Int, measured: Int)

  /// - Complexity: O((*p* + *d*) log *n*) for *p* pages, *d* functions on pages that differ and *n* functions.
  package init(
    of estimate: PageFaultEstimate, in layout: Layout, measured: [PageTouch],
    knowledge: Knowledge, pageSize: PageSize
  ) {
    let launch = estimate.launch
    self.pageSize = pageSize
    func predicted(_ size: PageSize, executed: Bool) -> Set<StatedPage> {
      var pages: Set<StatedPage> = []
      var unpainted = UnpaintedPages(of: launch.ranges.map { size.pages(of: $0.bytes) })
      for range in launch.ranges
      where launch.rows[range.row].cause.isExecuted == executed {
        unpainted.paint(size.pages(of: range.bytes)) { pages.formUnion($0) }
      }
      return pages
    }
    func measuredPages(_ size: PageSize, executed: Bool) -> Set<StatedPage> {
      Set(measured.filter { $0.isExecution == executed }.map { size.page(of: $0.page) })
    }
    let sizes: [PageSize] = [.fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes]
    // A launch that claims to touch terabytes is counted, but not analyzed.
    guard estimate.total.pages <= Self.mostPages else {
      counts = []
      differences = []
      pagesRead = (0, 0)
      return
    }
    counts = sizes.map { size in
      Count(
        pageSize: size, predicted: predicted(size, executed: true).count,
        executed: measuredPages(size, executed: true).count)
    }
    let (expected, found) = (
      predicted(pageSize, executed: true), measuredPages(pageSize, executed: true)
    )
    var explanation = PageExplanation(
      launch: launch, layout: layout, measured: measured, executed: found, knowledge: knowledge,
      pageSize: pageSize)
    var differences: [Difference] = []
    for page in expected.symmetricDifference(found).sorted() {
      differences.append(
        found.contains(page) ? explanation.executed(page) : explanation.predicted(page))
    }
    self.differences = differences
    let read = measuredPages(pageSize, executed: false).subtracting(found)
    pagesRead = (predicted(pageSize, executed: false).intersection(read).count, read.count)
  }

  private static let mostPages = 1 << 18

  package func count(_ cause: Cause, wasExecuted: Bool) -> Int {
    differences.count { $0.cause == cause && $0.wasExecuted == wasExecuted }
  }
}

extension PageAccount.Cause: CaseIterable, RawRepresentable {
  /// All causes, in the order of reports.
  package static let allCases: [Self] = [
    .functionPart, .otherPath, .newCode, .noEntry, .touch(.mergedBody), .coldPart,
    .touch(.linkageTable),
    .touch(.cRuntime), .touch(.initializer), .noSymbol,
  ]

  /// The cause as a word in documents.
  package var rawValue: String {
    switch self {
    case .functionPart: "functionPart"
    case .otherPath: "otherPath"
    case .newCode: "newCode"
    case .noEntry: "noEntry"
    case .coldPart: "coldPart"
    case .noSymbol: "noSymbol"
    case .touch(let cause): cause.rawValue
    }
  }

  package init?(rawValue: String) {
    guard let cause = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = cause
  }
}

extension PageAccount {
  /// The facts, in addition to the layout, that explain why a function was not predicted.
  package struct Knowledge: Sendable {
    /// Whether every function of the image could be recorded, as with breakpoints, so that a function that is
    /// not in the trace did not run.
    package var recordsEveryFunction: Bool
    /// The addresses of the functions that the recorded build lacks.
    package var newFunctions: Set<StatedAddress>
    /// The part of a function that the suffix of a name denotes.
    package var part: @Sendable (SymbolName) -> NamedPart

    package init(
      recordsEveryFunction: Bool, newFunctions: Set<StatedAddress> = [],
      part: @escaping @Sendable (SymbolName) -> NamedPart = { _ in .whole }
    ) {
      self.recordsEveryFunction = recordsEveryFunction
      self.newFunctions = newFunctions
      self.part = part
    }
  }
}
