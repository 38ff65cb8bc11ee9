import CommandSupport
import Demangling
import FaultEstimate
import ImageModel
import TraceSymbolication

/// The measurements of launches of the two compared images.
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
    _ options: LayoutDiff.Options, of layouts: PredictedLayouts, pageSize: PageSize
  ) throws(Diagnostic) {
    func recording(
      _ paths: [String], _ release: ReleaseLayout, _ option: String
    ) throws(Diagnostic) -> PageInMeasurement.Recording? {
      guard !paths.isEmpty else { return nil }
      return try PageInMeasurement.Recording(
        exports: paths, of: release, option: option, pageSize: pageSize)
    }
    let recorded = (
      before: try recording(options.pageInsBefore, layouts.first, "--page-ins-before"),
      after: try recording(options.pageInsAfter, layouts.last, "--page-ins-after")
    )
    pageIns =
      recorded.before == nil && recorded.after == nil
      ? nil : PageInMeasurement(before: recorded.before, after: recorded.after)
    before = try MeasuredImagePages(
      options.measuredBefore, of: layouts.first, option: "--pages-before")
    after = try MeasuredImagePages(
      options.measuredAfter, of: layouts.last, option: "--pages-after")
    self.pageSize = pageSize
  }

  var warnings: [Diagnostic] {
    (pageIns?.warnings ?? []) + [before, after].flatMap { $0?.warnings ?? [] }
  }

  /// Returns the pages that `orderfile pages` counted, compared with the prediction page by page; `nil` if no document
  /// was given.
  func pages(
    _ estimates: BeforeAfter<LayoutEstimate>, _ layouts: PredictedLayouts, _ startup: StartupUses,
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
        estimates.before.faults, layouts.first.layout,
        knowledge(startup.newFunctions?.functions[0]),
        pageSize: pageSize, data: before.flatMap { data?.account(before: true, $0) }),
      after: after?.side(
        estimates.after.faults, layouts.last.layout,
        knowledge(startup.newFunctions?.functions[1]),
        pageSize: pageSize, data: after.flatMap { data?.account(before: false, $0) }))
  }
}
