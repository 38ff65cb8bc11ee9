import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// The layouts for which launches are predicted: one layout, or the two layouts of a comparison. They have all code,
/// including code without a name.
package struct PredictedLayouts {
  /// The layouts; never empty.
  let all: [ReleaseLayout]
  /// The last layout with only the functions that have names. An order file can move only functions with names.
  let namedLast: Layout

  /// Reads the layout at `path`.
  package init(_ path: String, architecture: Architecture? = nil) throws(Diagnostic) {
    let named = try ReleaseLayout(path: path, slice: SliceChoice(architecture))
    all = [named.addingUnnamedFunctions()]
    namedLast = named.layout
  }

  /// Reads both layouts. If they are one file, reads it once.
  package init(
    before: String, after: String, architecture: Architecture? = nil
  ) throws(Diagnostic) {
    let first = try Self(before, architecture: architecture)
    let second = try after == before ? first : Self(after, architecture: architecture)
    all = first.all + second.all
    namedLast = second.namedLast
  }

  /// The layout before, if there are two layouts.
  package var first: ReleaseLayout { all[0] }
  package var last: ReleaseLayout { all[all.count - 1] }

  package var imageFormat: ImageFormat { last.layout.imageFormat }
  /// The architecture of the last layout, or else of another layout; `nil` if no layout states it.
  var architecture: Architecture? { all.reversed().lazy.compactMap(\.architecture).first }
  var warnings: [Diagnostic] { all.flatMap(\.warnings) }

  /// Returns whether `recorded` is the image of one of the layouts.
  func include(_ recorded: TraceImage) -> Bool { all.contains { $0.isImage(recorded) } }

  /// Returns the facts about a launch that uses the functions of `startup`, for each layout. If the code of one layout
  /// is damaged, the code of no layout is used, and there is a warning.
  ///
  /// - Parameter recordsEveryFunction: whether a function that was not recorded did not run.
  func launchFacts(
    of startup: [[StartupFunction]], recordsEveryFunction: Bool
  ) -> (facts: [LaunchFacts], warnings: [Diagnostic]) {
    var facts: [LaunchFacts] = []
    do {
      for (release, functions) in zip(all, startup) {
        facts.append(try release.launchFacts(startup: functions.usedFunctions))
      }
    } catch { return (all.map(\.factsWithoutCode), [error]) }
    if recordsEveryFunction {
      // Every function could be recorded, and merged bodies are functions. So a merged body that is not in the trace
      // did not run.
      for place in facts.indices {
        facts[place].references.removeAll { $0.touch.cause == .mergedBody }
      }
    }
    return (facts, [])
  }
}

extension [StartupFunction] {
  /// The indexes of the functions that launches use, each once, earliest use first.
  var usedFunctions: [Int] {
    var lists: Set<PartList> = []
    var functions: Set<Int> = []
    return filter { lists.insert(PartList($0.parts)).inserted }.flatMap(\.parts)
      .map(\.function).filter { functions.insert($0).inserted }
  }
}
