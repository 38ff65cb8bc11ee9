import CommandSupport
import ImageModel
import TraceSymbolication

/// The uses of functions in the traces of one launch.
struct FunctionUses {
  /// The number of first hits of functions in all traces, as `RecordedLaunch.firstHits`.
  private(set) var hits = 0
  /// The number of functions that could be recorded, as `RecordedLaunch.instrumented`.
  private(set) var instrumented = 0
  /// The number of first hits before `main`, as `RecordedLaunch.hitsBeforeMain`.
  private(set) var hitsBeforeMain: Int?

  init(of traces: [Trace], in images: RecordedImages) {
    // Each image is examined once, because its code may have to be searched.
    let all = distinctImages(of: traces)
    let isInstrumented = traces.contains { $0.method == .instrumentation }
    let guarded = all.map { isInstrumented ? images.guardedFunctions(of: $0) : nil }
    instrumented = zip(all, guarded).reduce(0) { $0 + ($1.1 ?? $1.0.guardCount) }
    let withBlocks = zip(all, guarded).filter { $0.1 != nil }.map(\.0)
    for (index, trace) in traces.enumerated() {
      let blockImages = trace.images.indices.filter { place in
        let image = trace.images[place]
        return withBlocks.contains { $0.path == image.path && $0.id == image.id }
      }
      guard index == 0 || !blockImages.isEmpty else {
        hits += trace.hits.count
        continue
      }
      let recorded = images.recordedImages(of: trace)
      let counted = trace.functionHits(blockImages: Set(blockImages), recorded)
      hits += counted.count
      if index == 0 { hitsBeforeMain = trace.hitsBeforeMain(recorded, counted: counted) }
    }
  }
}
