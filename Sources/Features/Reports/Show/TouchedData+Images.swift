import CommandSupport
import ImageModel
import Recording
import Symbolication

extension RecordedImages {
  /// What each of the touches of data of `trace` touched.
  ///
  /// - Parameter images: parallel to those of the trace.
  func touchedData(of trace: Trace, in images: [RecordedImage]) -> [TouchedData] {
    guard !trace.dataHits.isEmpty else { return [] }
    // A sealed trace has the names, but not the sections. The images are only looked at, so their warnings are not reported.
    var recorded = self
    recorded.add(trace.images)
    let layouts = trace.images.map { recorded.image(for: $0)?.layout }
    return zip(trace.dataHits, trace.dataNames(in: images)).map { hit, names in
      let layout = layouts[hit.image]
      let section = layout?.section(containing: hit.touch.bytes.start)
      return TouchedData(names: names, section: section.flatMap { layout?.sections[$0].name })
    }
  }
}
