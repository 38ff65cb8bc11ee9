import CommandSupport
import ImageModel

/// The images of an audit, as traces and measured launches may name them.
struct LaunchedImages {
  private var paths: [String: Int] = [:]
  private var proofs: [String: Int] = [:]
  private var references: [ImageReference] = []

  /// The image of the audit that an image of a launch matches.
  enum Match: Equatable {
    /// The image of the audit with this number.
    case image(Int)
    /// The image of the audit with this number has the same path, but is of another build or architecture.
    case anotherBuild(Int)
    case unknown
  }

  /// - Parameter image: an image of the audit, whose path must have no symbolic links.
  mutating func add(_ image: ImageReference) {
    let number = references.count
    if paths[image.path] == nil { paths[image.path] = number }
    if image.hasProof, let id = image.id, proofs[id] == nil { proofs[id] = number }
    references.append(image)
  }

  /// Returns the image of the audit that has the ID of `image`, at any path, or else the image at the path of `image`,
  /// which may be another build.
  func match(_ image: ImageReference) -> Match {
    let number =
      image.id.flatMap { proofs[$0] }
      ?? paths[(try? Folder.absolutePath(image.path)) ?? image.path]
    guard let number else { return .unknown }
    switch image.relation(to: references[number]) {
    case .sameBuild, .unproved: return .image(number)
    case .anotherArchitecture, .anotherBuild: return .anotherBuild(number)
    }
  }
}
