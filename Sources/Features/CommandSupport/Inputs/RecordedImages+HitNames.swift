import Addresses
import ImageModel
import TraceSymbolication

extension RecordedImages {
  /// Returns, for each hit, the name of the function that was entered, and the name of the function that ran if that is
  /// another one.
  ///
  /// - Parameter images: parallel to the images of the trace.
  package static func hitNames(
    of trace: Trace, in images: [RecordedImage]
  ) -> [[SymbolName]] {
    // Names are cached for each body, because a body may have thousands of names, and as many hits.
    var known = trace.images.map { _ in [StatedAddress: SymbolName?]() }
    func name(ofBodyAt start: StatedAddress?, _ image: Int) -> SymbolName? {
      guard let start else { return nil }
      if let name = known[image][start] { return name }
      let name = images[image].body(holding: start)?.names.first
      known[image][start] = .some(name)
      return name
    }
    return trace.hits.map { hit in
      let entered = hit.entry.flatMap { images[hit.image].bodyStart(holding: $0) }
      let ran = hit.calledFrom.flatMap { images[hit.image].bodyStart(holding: $0) }
      return [entered, ran == entered ? nil : ran].compactMap { name(ofBodyAt: $0, hit.image) }
    }
  }
}
