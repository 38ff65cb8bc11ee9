import CommandSupport
import FaultEstimate
import ImageModel
import OrderFileMatching
import Rendering

/// A comparison of two layouts for the same launches: the predicted saving of the newer layout, and whether the linker
/// followed the order file.
package struct LayoutDiff {
  /// The inputs and settings of a comparison.
  package struct Options {
    /// The paths of linked images or link maps.
    package var before: String
    package var after: String
    package var launches = LayoutEstimates.Options()
    /// The cost of one page-in, at most 1000; `nil` takes the cost published for the images' platform.
    package var costMilliseconds: Double?
    /// The paths of exports of an Instruments recording of each layout.
    package var pageInsBefore: [String] = []
    package var pageInsAfter: [String] = []
    /// The paths of the documents that `orderfile pages --json` wrote for each layout.
    package var measuredBefore: String?
    package var measuredAfter: String?
    /// Whether the document has maps of the touched pages.
    package var mapsPages = false

    package init(before: String, after: String) {
      self.before = before
      self.after = after
    }
  }

  /// The comparison, with all warnings.
  package let document: DiffDocument
  /// The estimates that the document compares.
  package let estimates: LayoutEstimates

  package var imageFormat: ImageFormat { estimates.layouts.imageFormat }

  /// Reads the files that `options` name, and compares the layouts.
  ///
  /// - Throws: an error if a file can't be read or if nothing states the startup functions; `mismatch` if the
  ///   files do not belong together.
  package init(_ options: Options) throws(Diagnostic) {
    let layouts = try PredictedLayouts(
      before: options.before, after: options.after, architecture: options.launches.architecture)
    try self.init(options, of: layouts)
  }

  /// Compares layouts that have been read.
  ///
  /// - Throws: as `init(_:)`.
  package init(_ options: Options, of layouts: PredictedLayouts) throws(Diagnostic) {
    let measurements = try DiffMeasurements(
      options, of: layouts, pageSize: options.launches.sizeOfPages(of: layouts))
    let predicted = try LayoutEstimates(options.launches, of: layouts)
    let startup = predicted.startup
    let estimates = BeforeAfter(before: predicted.first, after: predicted.last)
    let cost = options.costMilliseconds.flatMap {
      FaultCost(milliseconds: $0, source: "--cost-ms")
    }
    var document = DiffDocument(
      before: layouts.first.reference, after: layouts.last.reference,
      startupSource: startup.source, estimates: estimates,
      cost: cost ?? .published(for: layouts.imageFormat),
      order: predicted.order?.compliance(layouts),
      warnings: predicted.inputWarnings(besides: measurements.warnings),
      reasonOfAbsence: startup.reason(ofAbsence:))
    document.compliance.drifted = startup.drifted
    document.compliance.functions = predicted.placedFunctions
    document.compliance.prefetch = layouts.last.bytes.flatMap { bytes in
      StartupFunctionPrefetch(
        of: document.compliance.functions ?? [], measured: measurements.after?.image, in: bytes)
    }
    if let before = layouts.first.imageSizes, let after = layouts.last.imageSizes {
      document.imageSizes = BeforeAfter(before: before, after: after)
    }
    document.prediction.traces = predicted.traces
    document.recordable = startup.recordable
    document.recordableUnknown = startup.recordableUnknown
    document.newCode = startup.newFunctions?.document(layouts)
    document.recordedImage = startup.recordedImage
    document.refusal = predicted.refusal
    document.measurement.pageIns = measurements.pageIns
    let (data, dataUnknown) = startup.dataPrediction(in: layouts, predicted.pageSize)
    document.prediction.dataPages = data?.document
    document.dataPagesUnknown = dataUnknown
    document.measurement.pages = measurements.pages(estimates, layouts, startup, data)
    if options.mapsPages {
      document.addMaps(
        estimates, layouts, measurements, ordered: predicted.order?.check.block?.range)
    }
    document.addWarnings(predicted.order?.warnings(layouts) ?? [])
    document.addWarnings(predicted.suggestions)
    document.inputs = DiffDocument.Inputs(
      launch: predicted.launch ?? document.measurement.pages?.after?.source.command,
      order: options.launches.order, traces: predicted.tracePaths)
    document.nextSteps = predicted.nextSteps(measured: document.measurement.pages?.after)
    self.document = document
    self.estimates = predicted
  }
}

extension LayoutEstimates {
  /// The predicted pages of each launch in both layouts, if there are several launches.
  fileprivate var traces: [DiffDocument.Trace] {
    guard startup.launches.count > 1 else { return [] }
    let (before, after) = (pagesOfLaunches(in: 0), pagesOfLaunches(in: 1))
    return startup.launches.enumerated().map { index, launch in
      DiffDocument.Trace(
        path: launch.path, pages: BeforeAfter(before: before[index], after: after[index]),
        launches: launch.weight)
    }
  }
}
