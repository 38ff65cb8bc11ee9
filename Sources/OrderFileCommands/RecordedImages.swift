import ImageModel
import Symbolication

/// The images that traces were recorded in, read once each and only if they are what the trace says.
struct RecordedImages {
  /// Images that the user named.
  private var named: [Image] = []
  /// By the path that a trace states.
  private var found: [String: Image] = [:]
  private var refused: Set<String> = []
  /// What was wrong with images that the traces name.
  private(set) var warnings: [Diagnostic] = []

  /// Adds an image for every trace that was recorded in it.
  mutating func add(_ image: Image) { named.append(image) }

  /// Reads the images of `trace` from the paths that it states.
  mutating func add(imagesOf trace: Trace) {
    for image in trace.images where found[image.path] == nil && !refused.contains(image.path) {
      do {
        let (read, warnings) = try Image.reading(path: image.path)
        found[image.path] = read
        self.warnings += warnings
      } catch {
        refused.insert(image.path)
        warnings.append(error)
      }
    }
  }

  /// The image of which `image` is the record, if it was read: their IDs are the same.
  func image(for image: TraceImage) -> Image? {
    named.first { $0.id == image.id } ?? found[image.path].flatMap { $0.id == image.id ? $0 : nil }
  }

  /// The image that lies at the path of `image` now, whatever its ID.
  func imageAtPath(of image: TraceImage) -> Image? { found[image.path] }

  /// For each image of `trace` the one that was read, if it is the same.
  func recordedImages(of trace: Trace) -> [RecordedImage?] {
    trace.images.map { image(for: $0).map { RecordedImage($0) } }
  }
}
