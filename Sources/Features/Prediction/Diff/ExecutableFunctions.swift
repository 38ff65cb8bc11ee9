import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// The functions of two layouts that can run: something in their images refers to them.
struct ExecutableFunctions {
  private let before: Side
  private let after: Side

  /// Equal lists that have alternatives have the same.
  private struct Given: Hashable {
    var parts: PartList
    var hasAlternatives: Bool
  }
  private typealias Kept = (parts: [Part], alternatives: Set<Int>)

  private struct Side {
    let layout: Layout
    let unreferenced: Set<StatedAddress>

    /// Alternatives of which the recorded blocks are no part are none, either.
    ///
    /// - Parameter known: what is left of each list of parts.
    func keep(
      _ parts: [Part], _ alternatives: Set<Int>, _ known: inout [Given: Kept]
    ) -> Kept {
      let given = Given(parts: PartList(parts), hasAlternatives: !alternatives.isEmpty)
      if let kept = known[given] { return kept }
      let left =
        unreferenced.isEmpty
        ? parts : parts.filter { !unreferenced.contains(layout.functions[$0.function].address) }
      let kept = (left, alternatives.intersection(left.map(\.function)))
      known[given] = kept
      return kept
    }
  }

  /// - Parameter images: what was recorded. In these images all recorded functions ran.
  init(
    of layouts: ComparedLayouts, recordedIn images: [TraceImage]
  ) {
    func side(_ release: ReleaseLayout) -> Side {
      let ran = images.contains(where: release.isImage)
      return Side(
        layout: release.layout,
        unreferenced: ran ? [] : release.code?.unreferencedFunctions(of: release.layout) ?? [])
    }
    before = side(layouts.before)
    after = side(layouts.after)
  }

  /// Returns `uses` without the functions that cannot run.
  ///
  /// - Complexity: O(*n*) for *n* uses and the parts of different ones.
  func keep(_ uses: [StartupFunction]) -> [StartupFunction] {
    var known: (before: [Given: Kept], after: [Given: Kept]) = ([:], [:])
    return uses.map { use in
      var kept = use
      (kept.before, kept.alternativesBefore) = before.keep(
        use.before, use.alternativesBefore, &known.before)
      (kept.after, kept.alternativesAfter) = after.keep(
        use.after, use.alternativesAfter, &known.after)
      return kept
    }
  }
}
