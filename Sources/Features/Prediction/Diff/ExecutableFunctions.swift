import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// The functions of the layouts that can run: something in their images refers to them.
struct ExecutableFunctions {
  /// One for each layout.
  private let sides: [Side]

  /// Equal lists that have alternatives have the same.
  private struct Given: Hashable {
    var parts: PartList
    var hasAlternatives: Bool
  }

  private struct Side {
    let layout: Layout
    let unreferenced: Set<StatedAddress>

    /// Drops the functions that cannot run, and alternatives that do not contain the recorded blocks.
    ///
    /// - Parameter known: what is left of each list of parts.
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

  /// - Parameter images: what was recorded. In these images all recorded functions ran.
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
  /// - Complexity: O(*n*) for *n* uses and the parts of different ones.
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
