import FaultEstimate
import ImageModel

/// The page faults that a launch is predicted to take in two layouts.
package struct DiffPrediction: Hashable, Sendable {
  package var pageSize: PageSize
  /// The predicted pages of the startup functions that a layout has: a lower bound on the pages of code.
  package var pages: BeforeAfter<Int>
  /// The predicted pages if the startup functions that a layout lacks lie on pages of their own: an upper bound.
  package var pagesAtMost: BeforeAfter<Int>
  /// The number of windows of 64 KiB that contain predicted pages.
  package var windows64k: BeforeAfter<Int>
  /// The sections, with the most pages first. They add up to the figures of the layouts.
  package var sections: [DiffDocument.Section]
  /// The area under the fault curve, in page-steps.
  package var faultCurveArea: BeforeAfter<UInt64>
  /// The number of startup functions that count only with the basic blocks that ran; `nil` if no basic blocks were
  /// recorded.
  package var functionsByBlocks: BeforeAfter<Int>?
  /// The cost of one page-in; `nil` if no cost was given and none was published for such images.
  package var cost: FaultCost?
  /// The predicted faults on Linux; `nil` unless both layouts are of ELF images.
  package var linuxFaults: LinuxFaultsChange?
  /// The predicted reads of each kernel with pages of this size; `nil` unless a layout is of a Mach-O image.
  package var xnuReads: [XNUReadsChange]?
  /// The predicted pages of each launch, in the order of the traces; empty unless there are several.
  package var traces: [DiffDocument.Trace] = []
  /// The predicted pages of data; `nil` unless touches of data were recorded.
  package var dataPages: DataPagesPrediction?
  /// The touched pages of each layout; `nil` if no map was asked for.
  package var pageMaps: BeforeAfter<PageMap>?
}

extension DiffPrediction {
  /// The keys of the figures that count only the startup functions that a layout has; empty if both layouts have all
  /// startup functions.
  package var lowerEnds: [String] {
    guard hasBand else { return [] }
    return ["faultCurveArea"] + (linuxFaults == nil ? [] : ["linuxFaults"])
      + (traces.isEmpty ? [] : ["perTrace"]) + ["sections", "textPages", "windows64k"]
      + (xnuReads == nil ? [] : ["xnuReads"])
  }

  /// Whether functions that a layout lacks may touch pages that are not counted.
  var hasBand: Bool { pagesAtMost != pages }

  /// The number of launches that `traces` count as.
  package var launchesOfTraces: UInt64 { traces.map(\.launches).saturatingSum() }

  /// The mean of the pages of `traces`, each weighted by its launches; `nil` if there are no traces.
  package var meanOfTraces: BeforeAfter<Double>? {
    guard !traces.isEmpty else { return nil }
    func mean(_ pages: KeyPath<BeforeAfter<Int>, Int>) -> Double {
      traces.reduce(0) { $0 + Double($1.launches) * Double($1.pages[keyPath: pages]) }
        / Double(launchesOfTraces)
    }
    return BeforeAfter(before: mean(\.before), after: mean(\.after))
  }

  /// The traces, with the most pages in the layout after first. Equal traces keep their order.
  package var worstTracesFirst: [DiffDocument.Trace] {
    traces.enumerated().sorted {
      ($1.element.pages.after, $0.offset) < ($0.element.pages.after, $1.offset)
    }.map(\.element)
  }

  /// Whether one of the layouts is of a Mach-O image.
  package var isMachO: Bool { xnuReads != nil }

  /// The smallest and the largest number of pages that are predicted to be saved; negative for a loss.
  package var savedPages: ClosedRange<Int> {
    let least = pages.before - max(pagesAtMost.after, pages.after)
    return least...max(pagesAtMost.before, pages.before) - pages.after
  }

  /// The time that the saved `pages` would take; negative for a loss.
  var saving: MillisecondsBand? {
    cost.map {
      MillisecondsBand(
        low: $0.low * pages.saved, typical: $0.typical * pages.saved, high: $0.high * pages.saved)
    }
  }
}
