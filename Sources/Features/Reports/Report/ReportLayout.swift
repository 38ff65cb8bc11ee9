import Addresses
import FaultEstimate
import ImageModel
import PagesFormat

/// One of the layouts of a report: what of the image is where, what a launch is predicted to touch, and what one touched.
package struct ReportLayout: Sendable {
  package enum Side: String, CaseIterable, Sendable { case before, after, only }

  /// `only` if the report has no other.
  package var side: Side
  package var image: ImageReference
  package var layout: Layout
  /// What each part of the file is mapped as, ascending; empty if that is unknown, as for a link map.
  package var mappings: [(segment: Segment, range: AddressRange)]
  package let touches: [PageFaultEstimate.Touch]
  /// Ascending.
  package let cells: [PageCell]
  package let curve: [FaultCurvePoint]
  /// Those of the layout's functions.
  package var owners: [FunctionOwner]
  /// The number of launches that use a function of the estimate's steps, if there were several; else empty.
  package var launchesOfSteps: [Int]
  /// What `orderfile pages` counted; `nil` if it did not.
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

  /// The bytes that a report shows, counted from the first. An image that claims to be larger is cut off.
  static let largestImage: UInt64 = 1 << 30
  /// The functions that a report contains at most, and the touches; those that are used first come first.
  package static let mostFunctions = 25_000
  package static let mostTouches = 50_000

  /// The start of the first section, rounded down to 64 KiB.
  var base: StatedAddress { Self.base(of: layout) }

  private static func base(of layout: Layout) -> StatedAddress {
    let first = layout.sections.first?.range.start ?? StatedAddress(rawValue: 0)
    return first.roundedDown(to: 64 << 10)
  }

  /// The part of `range` that is shown, counted from `base`; `nil` for none of it.
  func shown(_ range: AddressRange) -> Range<Int>? {
    guard range.start >= base, range.start - base < Self.largestImage else { return nil }
    let start = range.start - base
    return Int(start)..<Int(start + min(range.size, Self.largestImage - start))
  }

  /// The number of functions; aliases are one.
  var functionCount: Int { Set(layout.functions.map(\.address)).count }

  /// What of the layout a report lacks, as sentences.
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
