import Addresses
import FaultEstimate
import ImageModel
import Symbolication

/// The functions of two layouts that can run: something in their images refers to them.
struct ExecutableFunctions {
  private let before: Side
  private let after: Side

  private struct Side {
    let layout: Layout
    let unreferenced: Set<StatedAddress>

    func keep(_ part: Part) -> Bool {
      !unreferenced.contains(layout.functions[part.function].address)
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

  /// Returns `use` without the functions that cannot run.
  func keep(_ use: StartupFunction) -> StartupFunction {
    var kept = use
    kept.before = use.before.filter(before.keep)
    kept.after = use.after.filter(after.keep)
    kept.alternativesBefore.formIntersection(kept.before.map(\.function))
    kept.alternativesAfter.formIntersection(kept.after.map(\.function))
    return kept
  }
}
