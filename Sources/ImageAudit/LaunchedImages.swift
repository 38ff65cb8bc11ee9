import ImageModel
import Workflows

/// The images of an audit, as traces and measured launches may name them.
struct LaunchedImages {
  private var paths: [String: Int] = [:]
  private var proofs: [String: Int] = [:]
  private var ids: [String?] = []

  /// What an image of a launch is.
  enum Match: Equatable {
    /// The image of the audit with this number.
    case image(Int)
    /// An image of the audit has its path, and another ID.
    case anotherBuild
    case unknown
  }

  /// - Parameter path: without symbolic links.
  mutating func add(path: String, id: ImageID?) {
    let number = ids.count
    if paths[path] == nil { paths[path] = number }
    let reference = ImageReference(path: path, id: id?.description)
    if reference.hasProof, let id = reference.id, proofs[id] == nil { proofs[id] = number }
    ids.append(reference.id)
  }

  /// By its ID wherever it is, else by its path, unless the ID there is another one.
  func match(_ image: ImageReference) -> Match {
    if image.hasProof, let id = image.id, let number = proofs[id] { return .image(number) }
    guard let number = paths[(try? Folder.absolutePath(image.path)) ?? image.path] else {
      return .unknown
    }
    if let id = image.id, let own = ids[number], id != own { return .anotherBuild }
    return .image(number)
  }
}
