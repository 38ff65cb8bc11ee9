import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// Finds the functions of the layouts that can run: functions that something in their images refers to.
struct ExecutableFunctions {
  /// What can run in each layout.
  private let sides: [Side]

  /// The key of cached results: a list of parts, and whether it has alternatives. Equal lists with alternatives have
  /// the same alternatives.
  private struct Given: Hashable {
    var parts: PartList
    var hasAlternatives: Bool
  }

  private struct Side {
    let layout: Layout
    let unreferenced: Set<StatedAddress>

    /// Drops the functions that cannot run, and alternatives that do not contain the recorded blocks.
    ///
    /// - Parameter known: the results so far, by list of parts.
    func keep(
      _ match: MatchedFunction.Match, _ known: inout [Given: MatchedFunction.Match]
    ) -> MatchedFunction.Match {
      let given = Given(
        parts: PartList(match.parts), hasAlternatives: !match.alternatives.isEmpty)
      if let kept = known[given] { return kept }
      let left =
        unreferenced.isEmpty
        ? match.parts
        : match.parts.filter { !unreferenced.contains(layout.functions[$0.function].address) }
      let kept = MatchedFunction.Match(
        left, alternatives: match.alternatives.intersection(left.map(\.function)))
      known[given] = kept
      return kept
    }
  }

  /// - Parameter images: the recorded images. All recorded functions ran in them.
  init(of layouts: PredictedLayouts, recordedIn images: [TraceImage]) {
    sides = layouts.all.map { release in
      let ran = images.contains(where: release.isImage)
      return Side(
        layout: release.layout,
        unreferenced: ran ? [] : release.code?.unreferencedFunctions(of: release.layout) ?? [])
    }
  }

  /// Returns `uses` without the functions that cannot run.
  ///
  /// - Complexity: O(*n*) for *n* uses and the parts of different uses.
  func keep(_ uses: [MatchedFunction]) -> [MatchedFunction] {
    var uses = uses
    for (place, side) in sides.enumerated() {
      var known: [Given: MatchedFunction.Match] = [:]
      for index in uses.indices {
        uses[index].matches[place] = side.keep(uses[index].matches[place], &known)
      }
    }
    return uses
  }
}
