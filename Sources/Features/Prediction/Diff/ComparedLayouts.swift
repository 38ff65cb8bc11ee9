import CommandSupport
import FaultEstimate
import ImageModel
import Symbolication

/// The two layouts that are compared, with all code in them, including code without a name.
package struct ComparedLayouts {
  let before: ReleaseLayout
  package let after: ReleaseLayout
  /// The functions of `after` that have names: only those can a linker be told to move.
  let namedAfter: Layout

  /// Reads both; once if they are one.
  package init(_ options: LayoutDiff.Options) throws(Diagnostic) {
    let slice = SliceChoice(options.architecture)
    let first = try ReleaseLayout(path: options.before, slice: slice)
    before = first.addingUnnamedFunctions()
    if options.after == options.before {
      namedAfter = first.layout
      after = before
    } else {
      let named = try ReleaseLayout(path: options.after, slice: slice)
      namedAfter = named.layout
      after = named.addingUnnamedFunctions()
    }
  }

  var imageFormat: ImageFormat { after.layout.imageFormat }
  /// The architecture of the newer layout, else of the older one; `nil` if neither states it.
  var architecture: Architecture? { after.architecture ?? before.architecture }
  var warnings: [Diagnostic] { before.warnings + after.warnings }

  /// The facts about a launch that uses `startup`, for each layout. If the code of one is damaged, the code of
  /// neither is used, and there is a warning.
  func launchFacts(
    of startup: StartupUses
  ) -> (facts: (before: LaunchFacts, after: LaunchFacts), warnings: [Diagnostic]) {
    var facts: (before: LaunchFacts, after: LaunchFacts)
    do {
      facts = (
        before: try before.launchFacts(startup: startup.functionsBefore),
        after: try after.launchFacts(startup: startup.functionsAfter)
      )
    } catch { return ((before.factsWithoutCode, after.factsWithoutCode), [error]) }
    if startup.recordsEveryFunction {
      // Merged bodies are functions, and every function was recorded: one that is not in the trace did not
      // run.
      facts.before.references.removeAll { $0.touch.cause == .mergedBody }
      facts.after.references.removeAll { $0.touch.cause == .mergedBody }
    }
    return (facts, [])
  }
}
