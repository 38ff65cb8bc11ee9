import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Rendering

/// The result of `orderfile diff`: the page faults that a launch is predicted to take in two layouts, and
/// what was measured of them.
package struct DiffDocument: Hashable, Sendable {
  package var before: Layout
  package var after: Layout
  /// Where the startup functions come from: `2 traces`, `app.order`.
  package var startupSource: String
  package var pageSize: PageSize
  /// Predicted pages in all, of the startup functions that a layout has: the least.
  package var pages: BeforeAfter<Int>
  /// Predicted pages if the startup functions that a layout lacks lie on pages of their own: the most.
  package var pagesAtMost: BeforeAfter<Int>
  /// The number of startup functions, and how many of them each layout has; `nil` if it is unknown.
  package var presence: Presence?
  /// How much of the recorded image's code could be recorded; `nil` if this is unknown.
  package var recordable: RecordableCode?
  /// Why that is unknown; `nil` if it is known.
  package var recordableUnknown: RecordableUnknown?
  /// The code of the layouts that the recorded build lacks; `nil` if this is unknown.
  package var newCode: NewCode?
  /// The recorded image's file name; `nil` without traces.
  package var recordedImage: String?
  /// Why the figures are no prediction, as one sentence; `nil` if they are one.
  package var refusal: String?
  /// Predicted windows of 64 KiB in all.
  package var windows64k: BeforeAfter<Int>
  /// The sections, those with the most pages first. They add up to the figures of the layouts.
  package var sections: [Section]
  /// In page-steps.
  package var faultCurveArea: BeforeAfter<UInt64>
  /// The number of startup functions of which only the basic blocks that ran count; `nil` if no blocks were
  /// recorded.
  package var functionsByBlocks: BeforeAfter<Int>?
  /// The cost of one page-in; `nil` if none was given and none was published for such images.
  package var cost: FaultCost?
  /// `nil` unless both layouts are of ELF images.
  package var linuxFaults: LinuxFaultsChange?
  /// One for each kernel with such pages; `nil` unless a layout is of a Mach-O image.
  package var xnuReads: [XNUReadsChange]?
  /// `nil` if no order file was given.
  package var order: OrderCompliance?
  /// Startup functions that are not counted in one layout or both, earliest use first.
  package var missing: [NameWithReason]
  /// Startup functions with other basic blocks in the layout after than in the recorded build, earliest use first;
  /// `nil` if it is unknown, because no blocks were recorded or one of the builds has no map of them.
  package var drifted: [NameWithReason]?
  /// The startup functions that the layout after has, earliest use first, each once; `nil` in a document of an earlier
  /// version.
  package var functions: [PlacedFunction]?
  /// How large the two images are; `nil` unless both are ELF images.
  package var imageSizes: BeforeAfter<ImageSizes>?
  /// The predicted pages of each launch, in the order of the traces; empty unless there are several.
  package var traces: [Trace] = []
  /// The predicted pages of data; `nil` unless touches of data were recorded.
  package var dataPages: DataPagesPrediction?
  /// Why the pages of data are not predicted although touches were recorded, as one sentence; else `nil`.
  package var dataPagesUnknown: String?
  /// `nil` if no recording was given.
  package var measuredPageIns: PageInMeasurement?
  /// `nil` if no measured launch was given.
  package var measuredPages: MeasuredPages?
  /// The touched pages of each layout; `nil` if no map was asked for.
  package var pageMaps: BeforeAfter<PageMap>?
  /// Printed by the caller, after the result. Each is one sentence that includes its context, and a hint.
  package var warnings: [Diagnostic]

  /// The keys of the figures that count only the startup functions that a layout has; empty if it has all.
  package var lowerEnds: [String] {
    guard hasBand else { return [] }
    return ["faultCurveArea"] + (linuxFaults == nil ? [] : ["linuxFaults"])
      + (traces.isEmpty ? [] : ["perTrace"]) + ["sections", "textPages", "windows64k"]
      + (xnuReads == nil ? [] : ["xnuReads"])
  }

  /// Whether functions that a layout lacks may touch pages that are not counted.
  var hasBand: Bool { pagesAtMost != pages }

  /// One of several launches.
  package struct Trace: Hashable, Sendable {
    package var path: String
    package var pages: BeforeAfter<Int>
    /// The number of launches that it counts as; at least 1.
    package var launches: UInt64

    package init(path: String, pages: BeforeAfter<Int>, launches: UInt64 = 1) {
      self.path = path
      self.pages = pages
      self.launches = launches
    }
  }

  /// The number of launches that `traces` count as.
  package var launchesOfTraces: UInt64 { traces.map(\.launches).saturatingSum() }

  /// The mean pages of `traces`, each as often as it counts; `nil` if there are none.
  package var meanOfTraces: BeforeAfter<Double>? {
    guard !traces.isEmpty else { return nil }
    func mean(_ pages: KeyPath<BeforeAfter<Int>, Int>) -> Double {
      traces.reduce(0) { $0 + Double($1.launches) * Double($1.pages[keyPath: pages]) }
        / Double(launchesOfTraces)
    }
    return BeforeAfter(before: mean(\.before), after: mean(\.after))
  }

  /// Those with the most pages in the layout after first; equal ones in their given order.
  package var worstTracesFirst: [Trace] {
    traces.enumerated().sorted {
      ($1.element.pages.after, $0.offset) < ($0.element.pages.after, $1.offset)
    }.map(\.element)
  }

  /// The predicted totals of one layout.
  package struct Layout: Hashable, Sendable {
    package var image: ImageReference
    package var startupFunctions: Int
    package var startupBytes: UInt64
    package var floorPages: Int

    package var path: String { image.path }

    package init(
      _ image: ImageReference, startupFunctions: Int, startupBytes: UInt64, floorPages: Int
    ) {
      self.image = image
      self.startupFunctions = startupFunctions
      self.startupBytes = startupBytes
      self.floorPages = floorPages
    }
  }

  /// One section, or the part of it that counts for one cause.
  package struct Section: Hashable, Sendable {
    package var name: SymbolName
    /// The cause for which it counts; `nil` for the sum of several.
    package var cause: TouchCause?
    package var pages: BeforeAfter<Int>
    package var windows64k: BeforeAfter<Int>
    /// Of the layout after, as are the two below.
    package var startupFunctions: Int
    package var startupBytes: UInt64
    package var floorPages: Int
  }

  /// Whether one of the layouts is of a Mach-O image.
  package var isMachO: Bool { xnuReads != nil }

  /// The fewest and the most pages that are predicted to be saved; negative for a loss.
  package var savedPages: ClosedRange<Int> {
    let least = pages.before - max(pagesAtMost.after, pages.after)
    return least...max(pagesAtMost.before, pages.before) - pages.after
  }

  /// All sections as one.
  package var total: Section {
    Section(
      name: "TOTAL", cause: nil, pages: pages, windows64k: windows64k,
      startupFunctions: after.startupFunctions, startupBytes: after.startupBytes,
      floorPages: after.floorPages)
  }

  /// The time that the saved `pages` would take; negative for a loss.
  package var saving: (low: Milliseconds, typical: Milliseconds, high: Milliseconds)? {
    cost.map { ($0.low * pages.saved, $0.typical * pages.saved, $0.high * pages.saved) }
  }
}

extension DiffDocument.Section {
  /// The sum of several sections; a sum that would overflow stays at the maximum.
  init(_ sections: some Collection<Self>, name: SymbolName) {
    self.init(
      name: name, cause: nil, pages: .sum(sections.map(\.pages)),
      windows64k: .sum(sections.map(\.windows64k)),
      startupFunctions: sections.map(\.startupFunctions).saturatingSum(),
      startupBytes: sections.map(\.startupBytes).saturatingSum(),
      floorPages: sections.map(\.floorPages).saturatingSum())
  }
}

/// What an Apple kernel is predicted to read in the two layouts.
package struct XNUReadsChange: Hashable, Sendable {
  /// `iOS`, `macOS`.
  package var kernel: String
  package var reads: BeforeAfter<Int>
  package var bytesRead: BeforeAfter<Int>
}
