import ImageModel
import TraceFormat

extension Trace {
  /// The names that make this trace independent of the recorded images: of every function that a hit
  /// entered or ran, all aliases.
  ///
  /// - Parameter recorded: for each index of `images`, that image as it was recorded, or `nil`.
  package func namesForSealing(_ recorded: [RecordedImage?]) -> [TraceName] {
    precondition(recorded.count == images.count, "one for each image")
    var names: [TraceName] = []
    for hit in hits {
      for address in [hit.entry, hit.calledFrom] {
        guard let address, let body = recorded[hit.image]?.body(holding: address) else { continue }
        names += body.names.map {
          TraceName(
            image: images[hit.image].number, address: body.address, size: body.size,
            name: $0.bytes)
        }
      }
    }
    return names
  }

  /// How many hits came before the program's `main`; `nil` if no hit was `main`'s.
  package func hitsBeforeMain(_ recorded: [RecordedImage?]) -> Int? {
    precondition(recorded.count == images.count, "one for each image")
    return hits.firstIndex { hit in
      guard let address = hit.entry ?? hit.calledFrom, images[hit.image].path == program else {
        return false
      }
      return recorded[hit.image]?.body(holding: address)?.names.contains("main") ?? false
    }
  }
}
