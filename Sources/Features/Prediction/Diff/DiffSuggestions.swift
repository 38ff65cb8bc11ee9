// Suggestions for a layout that is worse than it could be.

import ImageModel
import OrderFileMatching
import Rendering

extension LayoutEstimates {
  /// If a layout has less than this share of the startup functions, an order made of these traces misses functions that
  /// a launch runs.
  private static let wantedPresence = Share(percent: 95)
  /// The number of pages above the floor that a good order may need: `share` of the floor, or `least` pages if that is
  /// more.
  private static let acceptedGap = (share: 0.25, least: 8)

  /// Suggestions for the last layout; empty if there is nothing to try.
  var suggestions: [Diagnostic] {
    guard refusal == nil else { return [] }
    return [presenceSuggestion, gapSuggestion].compactMap { $0 }
  }

  private var isMachO: Bool { all.contains(where: \.faults.isMachO) }

  private var presenceSuggestion: Diagnostic? {
    let (functions, present) = (last.functions, last.present)
    guard functions > 0, !Self.wantedPresence.isReached(by: present, of: functions) else {
      return nil
    }
    return Diagnostic(
      "this build lacks \(functions - present) of \(counted(functions, "startup function"))",
      context: [layouts.last.path],
      hint: isMachO
        ? "record a build of the same sources"
        : "record a launch of this build with 'orderfile record --breakpoints', or improve the order file with 'orderfile refine'"
    )
  }

  /// The suggestion to reduce the pages. The suggestion is made only if the linker followed the order file: an order
  /// file that was not followed has to be mended first.
  private var gapSuggestion: Diagnostic? {
    guard !isMachO, let order = order?.check, order.present > 0,
      2 * order.inOrder >= order.entries
    else {
      return nil
    }
    let (floor, pages) = (last.faults.total.floorPages, last.faults.total.pages)
    let gap = pages - floor
    guard gap >= Self.acceptedGap.least, Double(gap) > Double(floor) * Self.acceptedGap.share else {
      return nil
    }
    return Diagnostic(
      "a better order could bring the \(pages) predicted pages to about \(floor)",
      context: [layouts.last.path],
      hint: (startup.recordsEveryFunction
        ? ""
        : "record a launch of this build with 'orderfile record --breakpoints', which sees every function, or ")
        + "improve the order file with 'orderfile refine'")
  }
}
