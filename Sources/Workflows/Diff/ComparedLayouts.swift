import FaultEstimate
import ImageModel
import Symbolication

/// The two layouts that are compared, and all code in them: also what has no name.
struct ComparedLayouts {
  let before: ReleaseLayout
  let after: ReleaseLayout
  /// What of `after` a linker can be told to move.
  let namedAfter: Layout

  /// Reads both.
  init(_ options: LayoutDiff.Options) throws(Diagnostic) {
    let slice = SliceChoice(options.architecture)
    before = try ReleaseLayout(path: options.before, slice: slice)
      .addingUnnamedFunctions()
    let named = try ReleaseLayout(path: options.after, slice: slice)
    namedAfter = named.layout
    after = named.addingUnnamedFunctions()
  }

  var imageFormat: ImageFormat { after.layout.imageFormat }
  /// `nil` where neither tells.
  var architecture: Architecture? { after.architecture ?? before.architecture }
  var warnings: [Diagnostic] { before.warnings + after.warnings }

  /// What is known of a launch that uses `startup`, for each layout: of both without their code, and with a warning,
  /// if that of one is damaged.
  func launchFacts(
    of startup: StartupUses
  ) -> (facts: (before: LaunchFacts, after: LaunchFacts), warnings: [Diagnostic]) {
    let functions = startup.functions
    var facts: (before: LaunchFacts, after: LaunchFacts)
    do {
      facts = (
        before: try before.launchFacts(startup: functions.flatMap(\.before).map(\.function)),
        after: try after.launchFacts(startup: functions.flatMap(\.after).map(\.function))
      )
    } catch { return ((before.factsWithoutCode, after.factsWithoutCode), [error]) }
    if startup.recordsEveryFunction {
      // A merged body is a function: it is in the trace if it ran.
      facts.before.references.removeAll { $0.touch.cause == .mergedBody }
      facts.after.references.removeAll { $0.touch.cause == .mergedBody }
    }
    return (facts, [])
  }
}
