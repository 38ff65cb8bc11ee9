import CommandSupport
import Demangling
import FaultEstimate
import ImageModel
import Symbolication

/// What was measured in launches of the two images that are compared.
struct DiffMeasurements {
  /// The page-ins that Instruments recorded; `nil` if no export was given.
  let pageIns: PageInMeasurement?
  /// The pages that `orderfile pages` counted.
  let before: MeasuredImagePages?
  let after: MeasuredImagePages?
  private let pageSize: PageSize

  /// Reads the files that `options` name.
  ///
  /// - Throws: `mismatch` if a measurement is of another build.
  init(
    _ options: LayoutDiff.Options, of layouts: ComparedLayouts, pageSize: PageSize
  ) throws(Diagnostic) {
    func recording(
      _ paths: [String], _ release: ReleaseLayout, _ option: String
    ) throws(Diagnostic) -> PageInMeasurement.Recording? {
      guard !paths.isEmpty else { return nil }
      return try PageInMeasurement.Recording(
        exports: paths, of: release, option: option, pageSize: pageSize)
    }
    let recorded = (
      before: try recording(options.pageInsBefore, layouts.before, "--page-ins-before"),
      after: try recording(options.pageInsAfter, layouts.after, "--page-ins-after")
    )
    pageIns =
      recorded.before == nil && recorded.after == nil
      ? nil : PageInMeasurement(before: recorded.before, after: recorded.after)
    before = try MeasuredImagePages(
      options.measuredBefore, of: layouts.before, option: "--pages-before")
    after = try MeasuredImagePages(
      options.measuredAfter, of: layouts.after, option: "--pages-after")
    self.pageSize = pageSize
  }

  var warnings: [Diagnostic] {
    (pageIns?.warnings ?? []) + [before, after].flatMap { $0?.warnings ?? [] }
  }

  /// Returns what `orderfile pages` counted beside the prediction, page by page; `nil` if no document was
  /// given.
  func pages(
    _ comparison: LayoutComparison, _ layouts: ComparedLayouts, _ startup: StartupUses,
    _ data: DataPrediction?
  ) -> MeasuredPages? {
    guard before != nil || after != nil else { return nil }
    func knowledge(_ new: NewFunctions?) -> PageAccount.Knowledge {
      PageAccount.Knowledge(
        recordsEveryFunction: startup.recordsEveryFunction, newFunctions: new?.newEntries ?? []
      ) { CanonicalName($0).part }
    }
    return MeasuredPages(
      before: before?.side(
        comparison.before, layouts.before.layout, knowledge(startup.newFunctions?.before),
        pageSize: pageSize, data: before.flatMap { data?.account(before: true, $0) }),
      after: after?.side(
        comparison.after, layouts.after.layout, knowledge(startup.newFunctions?.after),
        pageSize: pageSize, data: after.flatMap { data?.account(before: false, $0) }))
  }
}
