import Addresses
import ImageModel
import OrderFileFormat
import OrderFileMatching
import PagesFormat
import Rendering
import Symbolication

/// The facts about one layout, its launches and its order file that decide which steps come next.
package struct StepFacts: Sendable {
  /// The path of the image, or of its link map.
  package var image: String
  package var pageSize: PageSize
  /// The predicted pages of the launches, and the pages that the best placement of whole functions would touch.
  package var pages: Int
  package var reachablePages: Int
  /// The bytes of the startup functions; of functions with recorded blocks, only the blocks that ran.
  package var startupBytes: UInt64
  /// Whether basic blocks were recorded for a function.
  package var hasBlocks: Bool
  package var isMachO: Bool
  /// Whether no compiler splits the functions of the image.
  package var isUnsplittable = false
  /// The compiler option that gives each function a section of its own, as hints have it.
  package var sectionsOption: String
  /// The steps that were measured and did not pay.
  package var rejected: Set<NextStep.Kind> = []
  /// The option of a compiler driver that passes an order file to the linker that `gen` assumes for the image format.
  package var usualLinkOption: String? {
    OrderFileDialect.usual(for: isMachO ? .machO : .elf).linkOption
  }
  /// The predicted major faults of a cold launch on Linux; `nil` for other images.
  package var coldMajorFaults: Int?
  /// The startup functions that the layout has.
  package var functions: [Function]
  package var order: Order?
  /// The paths of the traces, as they were given.
  package var traces: [String]
  /// The measured launch of the layout; `nil` if pages were not measured.
  package var measured: MeasuredPages.Side?
  /// The words of the launch; `nil` if they are unknown.
  package var launch: [String]?

  package struct Function: Hashable, Sendable {
    package var name: SymbolName
    package var address: StatedAddress
    package var bytes: UInt64
    /// The function's state in the order file; `nil` without an order file, and for a symbol without a size, which no
    /// order file places.
    package var state: State?
  }

  package enum State: Hashable, Sendable {
    /// The order file does not list the function.
    case unlisted
    /// The order file lists the function, and the linker did not place it in order.
    case strayed
    case inOrder
  }

  /// The order file with which the layout was linked.
  package struct Order: Sendable {
    package var path: String
    /// The option of a compiler driver that passes an order file; `nil` if the linker has none.
    package var linkOption: String?
    package var entries: Int
    package var present: Int
    package var inOrder: Int
    /// The most frequent reason why the linker was unable to order a function of the layout, and the number of these
    /// entries; `nil` if the linker was able to order all.
    package var obstacle: (reason: String, entries: Int)?
    package var firstDeviation: String?
    /// Whether the order file has the anchors of `gen --prefetch`.
    package var prefetches: Bool
    /// Whether `refine` has written the order file: it found no better order.
    package var isRefined: Bool

    /// Whether the linker placed most entries in order. Less than half is about what chance does.
    package var isFollowed: Bool { present > 0 && 2 * inOrder >= present }
  }
}

extension StepFacts {
  /// - Parameters:
  ///   - measured: the measured launch of the last layout.
  ///   - launch: the words of the launch; `nil` to take those of the measured launch.
  init(_ estimates: LayoutEstimates, measured: MeasuredPages.Side?, launch: [String]?) {
    let last = estimates.last
    let faults = last.faults
    image = estimates.layouts.last.path
    pageSize = faults.pageSize
    pages = faults.total.pages
    // No order of functions removes pages that count for other causes.
    let floors = faults.sections.map {
      $0.cause == .startupFunction && $0.touched.startupBytes > 0
        ? max(1, $0.touched.floorPages) : $0.touched.pages
    }
    reachablePages = min(faults.total.pages, floors.reduce(0, +))
    startupBytes = faults.total.startupBytes
    hasBlocks = last.inParts > 0
    isMachO = faults.isMachO
    let layout = estimates.layouts.last.layout
    isUnsplittable = layout.hasOCamlCode
    sectionsOption = layout.sectionsOption
    rejected = estimates.rejectedSteps
    coldMajorFaults = faults.linuxFaults?.cold.map(\.majorFaults).max()
    order = estimates.order.map { Order($0) }
    let check = estimates.order?.check
    let unable = Set((check?.missing ?? []).map(\.name))
    functions = estimates.placedFunctions.map { function in
      var state: State?
      // `gen` leaves out symbols without a size, such as those of the C runtime's start files.
      if let check, function.bytes > 0 {
        state =
          check.orderedAddresses.contains(function.address)
          ? .inOrder
          : check.strayedAddresses.contains(function.address) || unable.contains(function.name)
            ? .strayed : .unlisted
      }
      return Function(
        name: function.name, address: function.address, bytes: function.bytes, state: state)
    }
    traces = estimates.tracePaths
    self.measured = measured
    self.launch = launch ?? measured?.source.command
  }

  /// Returns the number of pages that a launch no longer touches if the functions in these states move to the other
  /// startup functions: the pages on which only moved functions lie, less the pages that these functions fill.
  ///
  /// - Complexity: O(*n* *p*) for *n* functions of at most *p* pages.
  func gain(ofMoving states: Set<State>) -> Int {
    var kept: Set<StatedPage> = []
    var left: Set<StatedPage> = []
    var bytes: UInt64 = 0
    for function in functions {
      let pages = pageSize.pages(of: AddressRange(start: function.address, size: function.bytes))
      let isMoved = function.state.map(states.contains) ?? false
      if isMoved { bytes = bytes.addingReportingOverflow(function.bytes).partialValue }
      // A function of a damaged image may claim any size.
      for page in pages.prefix(1 << 16) {
        if isMoved { left.insert(page) } else { kept.insert(page) }
      }
    }
    let filled = Int(clamping: bytes / pageSize.bytes)
    return min(max(0, left.subtracting(kept).count - filled), max(0, pages - reachablePages))
  }
}

extension StepFacts.Order {
  fileprivate init(_ order: LinkedOrder) {
    let check = order.check
    path = order.path
    linkOption = order.file.dialect.linkOption
    entries = check.entries
    present = check.present
    inOrder = check.inOrder
    firstDeviation = check.deviationWording
    var counts: [OrderFileCheck.Reason: Int] = [:]
    for missing in check.missing where missing.reason.isObstacle {
      counts[missing.reason, default: 0] += 1
    }
    let most = OrderFileCheck.Reason.allCases.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) }
    obstacle = most.flatMap { reason in counts[reason].map { (reason.description, $0) } }
    let anchor = Array(PrefetchAnchor.first.utf8)
    prefetches = order.file.entries.contains { $0.symbol == anchor }
    isRefined = order.file.comments.contains(where: \.isRefined)
  }
}

extension OrderFileCheck.Reason {
  /// Whether the function exists, so that the linker would order it if the project were compiled in another way.
  fileprivate var isObstacle: Bool {
    switch self {
    case .noSuchSymbol, .duplicate, .noSuchSection, .undefined: false
    case .shared, .absolute, .discarded, .otherSection, .otherObjectFile, .sharedInputSection: true
    }
  }
}
