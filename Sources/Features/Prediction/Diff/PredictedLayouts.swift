import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// The layouts for which launches are predicted: one, or the two of a comparison. They have all code, including code without
/// a name.
package struct PredictedLayouts {
  /// Never empty.
  let all: [ReleaseLayout]
  /// The functions of the last layout that have names: only those can a linker be told to move.
  let namedLast: Layout

  /// Reads the layout at `path`.
  package init(_ path: String, architecture: Architecture? = nil) throws(Diagnostic) {
    let named = try ReleaseLayout(path: path, slice: SliceChoice(architecture))
    all = [named.addingUnnamedFunctions()]
    namedLast = named.layout
  }

  /// Reads both layouts; once if they are one.
  package init(
    before: String, after: String, architecture: Architecture? = nil
  ) throws(Diagnostic) {
    let first = try Self(before, architecture: architecture)
    let second = try after == before ? first : Self(after, architecture: architecture)
    all = first.all + second.all
    namedLast = second.namedLast
  }

  /// The layout before, if there are two.
  package var first: ReleaseLayout { all[0] }
  package var last: ReleaseLayout { all[all.count - 1] }

  package var imageFormat: ImageFormat { last.layout.imageFormat }
  /// The architecture of the last layout, else of another one; `nil` if none states it.
  var architecture: Architecture? { all.reversed().lazy.compactMap(\.architecture).first }
  var warnings: [Diagnostic] { all.flatMap(\.warnings) }

  /// Returns whether `recorded` is one of the images.
  func include(_ recorded: TraceImage) -> Bool { all.contains { $0.isImage(recorded) } }

  /// Returns the facts about a launch that uses the functions of `startup`, for each layout. If the code of one is damaged, the
  /// code of none is used, and there is a warning.
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
      // Merged bodies are functions, and every function was recorded: one that is not in the trace did not
      // run.
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
