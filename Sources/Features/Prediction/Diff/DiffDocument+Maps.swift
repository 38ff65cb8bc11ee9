import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import PagesFormat
import Rendering

extension DiffDocument {
  /// Adds the maps of both layouts, with a warning for each map that is cut off.
  ///
  /// - Parameter ordered: where the linker placed functions of the layout after as the order file asks; `nil` if this
  ///   is unknown.
  mutating func addMaps(
    _ estimates: BeforeAfter<LayoutEstimate>, _ layouts: PredictedLayouts,
    _ measurements: DiffMeasurements, ordered: AddressRange?
  ) {
    func map(
      _ release: ReleaseLayout, _ estimate: PageFaultEstimate, _ measured: [PagesDocument.Page]?,
      _ ordered: AddressRange?
    ) -> PageMap {
      let map = PageMap(
        of: release.layout, mappings: release.mappings, touches: estimate.touches,
        measured: measured, ordered: ordered, pageSize: estimate.pageSize)
      if map.isCutOff {
        addWarnings([
          Diagnostic(
            "the map shows only the first \(PageMap.mostPages) pages", context: [release.path])
        ])
      }
      if map.touchesOutside > 0 {
        addWarnings([
          Diagnostic(
            "\(counted(map.touchesOutside, "predicted touch", "predicted touches")) outside of what the map shows",
            context: [release.path])
        ])
      }
      return map
    }
    prediction.pageMaps = BeforeAfter(
      before: map(layouts.first, estimates.before.faults, measurements.before?.pages, nil),
      after: map(layouts.last, estimates.after.faults, measurements.after?.pages, ordered))
  }
}
