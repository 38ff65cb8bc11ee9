import Addresses
import FaultEstimate
import ImageModel
import PagesFormat
import Prediction

/// One of the layouts of a report: the places of its functions and sections, the bytes that a launch is predicted to
/// touch, and the pages that a measured launch touched.
package struct ReportLayout: Sendable {
  package enum Side: String, CaseIterable, Sendable { case before, after, only }

  /// Which of the report's layouts this is: `only` if the report has no other layout.
  package var side: Side
  package var image: ImageReference
  package var layout: Layout
  /// The address ranges to which the loader maps the parts of the file, each with its segment, ascending; empty if they
  /// are unknown, as for a link map.
  package var mappings: [(segment: Segment, range: AddressRange)]
  package let touches: [PageFaultEstimate.Touch]
  /// The cells, ascending by page.
  package let cells: [PageCell]
  package let curve: [FaultCurvePoint]
  /// The owners (modules, archives or files) of the layout's functions, in the order of the functions.
  package var owners: [FunctionOwner]
  /// The number of launches that use the function of each step of the estimate; empty unless there are several
  /// launches.
  package var launchesOfSteps: [Int]
  /// The pages that `orderfile pages` counted; `nil` without a count.
  package var measured: Measured?

  package struct Measured: Sendable {
    package var method: String
    package var pages: [PagesDocument.Page]

    package init(method: String, pages: [PagesDocument.Page]) {
      self.method = method
      self.pages = pages
    }
  }

  package init(
    side: Side, _ image: ImageReference, layout: Layout,
    mappings: [(segment: Segment, range: AddressRange)], estimate: PageFaultEstimate,
    owners: [FunctionOwner], launchesOfSteps: [Int] = [], measured: Measured?
  ) {
    self.side = side
    self.image = image
    self.layout = layout
    self.mappings = mappings
    self.owners = owners
    self.launchesOfSteps = launchesOfSteps
    self.measured = measured
    touches = estimate.touches
    let window = AddressRange(start: Self.base(of: layout), size: Self.largestImage)
    cells = estimate.cells(in: window) { layout.symbolName(of: layout.functions[$0]) != nil }
    curve = estimate.curvePoints(in: window)
  }
}

extension ReportLayout {
  package var path: String { image.path }

  /// The largest number of bytes of an image that a report shows, counted from its first byte. A larger image is cut
  /// off.
  static let largestImage: UInt64 = 1 << 30
  /// The largest number of functions in a report, and of touches. The functions that launches use first are kept.
  package static let mostFunctions = 25_000
  package static let mostTouches = 50_000

  /// The address from which the report counts: the start of the first section, rounded down to 64 KiB.
  var base: StatedAddress { Self.base(of: layout) }

  private static func base(of layout: Layout) -> StatedAddress {
    let first = layout.sections.first?.range.start ?? StatedAddress(rawValue: 0)
    return first.roundedDown(to: 64 << 10)
  }

  /// Returns the part of `range` that the report shows, counted from `base`; `nil` if it shows nothing of `range`.
  func shown(_ range: AddressRange) -> Range<Int>? {
    guard range.start >= base, range.start - base < Self.largestImage else { return nil }
    let start = range.start - base
    return Int(start)..<Int(start + min(range.size, Self.largestImage - start))
  }

  /// The number of functions in the layout. Aliases at one address count once.
  var functionCount: Int { Set(layout.functions.map(\.address)).count }

  /// Returns sentences about the parts of the layout that the report leaves out.
  func limits(_ pageSize: PageSize) -> [String] {
    var sentences: [String] = []
    if layout.sections.contains(where: { shown($0.range)?.count != Int(exactly: $0.range.size) }) {
      sentences.append("the report shows only the first GiB of addresses")
    }
    let functions = functionsOnTouchedPages(pageSize)
    if functions.count > Self.mostFunctions {
      let used = functions.count { $0.step != nil }
      sentences.append(
        "the report has \(Self.mostFunctions) of \(functions.count) functions on touched pages"
          + (used > Self.mostFunctions
            ? ": the first of \(used) startup functions, in order of use" : ""))
    }
    if touches.count > Self.mostTouches {
      sentences.append(
        "the report has the first \(Self.mostTouches) of \(touches.count) pieces of code that run: drawings of"
          + " bytes show only these")
    }
    return sentences
  }
}
