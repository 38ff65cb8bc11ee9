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
    before = try ReleaseLayout(path: options.before, slice: slice).addingUnnamedFunctions()
    let named = try ReleaseLayout(path: options.after, slice: slice)
    namedAfter = named.layout
    after = try named.addingUnnamedFunctions()
  }

  var imageFormat: ImageFormat { after.layout.imageFormat }
  /// `nil` where neither tells.
  var architecture: Architecture? { after.architecture ?? before.architecture }
  var warnings: [Diagnostic] { before.warnings + after.warnings }

  /// What is known of a launch that uses `startup`, for each layout.
  ///
  /// - Throws: what is wrong with parts of an image that its layout does not need.
  func launchFacts(
    of startup: StartupUses
  ) throws(Diagnostic) -> (before: LaunchFacts, after: LaunchFacts) {
    let functions = startup.functions
    var facts = (
      before: try before.launchFacts(startup: functions.flatMap(\.before).map(\.function)),
      after: try after.launchFacts(startup: functions.flatMap(\.after).map(\.function))
    )
    if startup.recordsEveryFunction {
      // A merged body is a function: it is in the trace if it ran.
      facts.before.references.removeAll { $0.touch.cause == .mergedBody }
      facts.after.references.removeAll { $0.touch.cause == .mergedBody }
    }
    return facts
  }
}
