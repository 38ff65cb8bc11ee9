import ByteReading
import CommandSupport
import ImageModel
import TraceSymbolication

/// A trace as `orderfile show` prints it, with names from the recorded images.
package struct ShownTrace {
  package let document: TraceDocument
  package let warnings: [Diagnostic]

  /// - Parameters:
  ///   - path: the path of the trace, whose contents are `bytes`.
  ///   - recorded: the paths of recorded images, for images that are no longer at the path in the trace.
  ///   - architecture: the slice to read of a universal file in `recorded`.
  /// - Throws: an error if the trace is damaged, or if an image of `recorded` can't be read or is not in the trace.
  package init(
    _ bytes: FileBytes, _ path: String, recorded: [String] = [], _ architecture: Architecture? = nil
  ) throws(Diagnostic) {
    let trace = Trace(try InputFile.traceFile(bytes, path), path: path)
    var images = RecordedImages()
    for path in recorded {
      try images.add(path: path, architecture, recordedAs: trace.images)
    }
    let functions = images.functions(of: trace)
    document = TraceDocument(
      trace, hitNames: RecordedImages.hitNames(of: trace, in: functions),
      functions: ExecutedFunction.all(of: trace, in: functions),
      touchedData: images.touchedData(of: trace, in: functions),
      recordable: Self.recordable(trace, images))
    warnings = images.warnings + (trace.isSealed ? [] : images.mismatches(of: trace))
  }

  /// How much code of the images could be recorded, by their indexes in the trace.
  private static func recordable(
    _ trace: Trace, _ images: RecordedImages
  ) -> [Int: RecordableCode] {
    var images = images
    images.add(trace.images.filter { $0.recordable == nil })
    var found: [Int: RecordableCode] = [:]
    for group in trace.imageGroups {
      let image = trace.images[group[0]]
      found[group[0]] = images.recordableCode(of: image, recordedBy: [trace.method])
    }
    return found
  }
}

extension ExecutedFunction {
  /// The functions that `trace` used, with their blocks; empty if no basic blocks were recorded.
  ///
  /// - Parameter images: parallel to `trace.images`.
  fileprivate static func all(of trace: Trace, in images: [RecordedImage]) -> [ExecutedFunction] {
    guard trace.images.contains(where: \.hasBlocks) else { return [] }
    var functions: [ExecutedFunction] = []
    let recorded = RecordedFunctions.all(of: trace) { group, _ in images[group[0]] }
    for (group, launch) in zip(trace.imageGroups, recorded) {
      functions += launch.uses.map { use in
        ExecutedFunction(
          step: use.step, image: group[0], address: use.address, name: use.names.first,
          sizeBytes: use.size ?? 0, executedBytes: use.executedBytes,
          blockCount: use.blocks.isEmpty ? nil : use.blocks.count)
      }
    }
    return functions.sorted { ($0.step, $0.image, $0.address) < ($1.step, $1.image, $1.address) }
  }
}

extension RecordedImages {
  /// Returns the data of each touch in `trace.dataHits`.
  ///
  /// - Parameter images: parallel to `trace.images`.
  fileprivate func touchedData(of trace: Trace, in images: [RecordedImage]) -> [TouchedData] {
    guard !trace.dataHits.isEmpty else { return [] }
    // A sealed trace has the names, but not the sections. The images are read only for their sections, so their
    // warnings are not reported.
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
