// What to try if a layout is worse than it could be.

import ImageModel
import Rendering
import Symbolication

extension DiffDocument {
  /// Below this share of the startup functions, an order made of these traces misses what a launch runs.
  private static let wantedPresence = Share(percent: 95)
  /// Pages above the floor that a good order may need: as many as this share of the floor, and so many at least.
  private static let acceptedGap = (share: 0.25, least: 8)

  /// Suggestions for the layout after; empty if there is nothing to try.
  ///
  /// - Parameter areBreakpoints: whether breakpoints have recorded all functions that the launches ran.
  func suggestions(areBreakpoints: Bool) -> [Diagnostic] {
    guard refusal == nil else { return [] }
    return [presenceSuggestion, gapSuggestion(areBreakpoints: areBreakpoints)].compactMap { $0 }
  }

  private var presenceSuggestion: Diagnostic? {
    guard let presence, presence.all > 0,
      !Self.wantedPresence.isReached(by: presence.after, of: presence.all)
    else { return nil }
    return Diagnostic(
      "\(presence.all - presence.after) of \(counted(presence.all, "startup function")) are not in it",
      context: [after.path],
      hint: prediction.isMachO
        ? "record a build of the same sources"
        : "record it afresh with 'orderfile record --breakpoints', or complete the order with 'orderfile refine'"
    )
  }

  /// Only if the linker followed the order: otherwise that is to be mended first.
  private func gapSuggestion(areBreakpoints: Bool) -> Diagnostic? {
    guard !prediction.isMachO, let order = compliance.order, order.present > 0,
      2 * order.inOrder >= order.entries
    else {
      return nil
    }
    let floor = after.floorPages
    let pages = prediction.pages.after
    let gap = pages - floor
    guard gap >= Self.acceptedGap.least, Double(gap) > Double(floor) * Self.acceptedGap.share else {
      return nil
    }
    return Diagnostic(
      "predicted are \(pages) pages, although what was counted would fill \(floor)",
      context: [after.path],
      hint: (areBreakpoints
        ? ""
        : "record it afresh with 'orderfile record --breakpoints', which sees every function, or ")
        + "improve the order with 'orderfile refine'")
  }
}
