/// An image as a document states it, so that figures of different programs, architectures and builds are not mixed.
package struct ImageReference: Hashable, Sendable {
  package var path: String
  /// The architecture; `nil` if it is unknown: a link map need not state it, and an older document does not.
  package var architecture: Architecture?
  /// The image ID as reports write it; `nil` for a link map, a script, and in an older document.
  package var id: String?

  package init(path: String, architecture: Architecture? = nil, id: String? = nil) {
    self.path = path
    self.architecture = architecture
    self.id = id
  }

  /// The file name. Documents of several builds use it as the name of the same image.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Whether the ID proves which build this is. A weak ID is the same for builds that differ in code only.
  package var hasProof: Bool { id.map { !$0.hasPrefix("weak:") } ?? false }

  /// Whether two documents mean the same image, according to the architectures and IDs that they state. Paths and names
  /// are not compared.
  package enum Relation: Hashable, Sendable {
    /// Both images have the same ID, which proves that they are the same build.
    case sameBuild
    case anotherArchitecture
    /// The IDs of the images differ, so they are different builds: equal builds have equal IDs, even weak ones.
    case anotherBuild
    /// The images may be the same build: nothing contradicts this, and nothing proves it.
    case unproved
  }

  package func relation(to other: Self) -> Relation {
    if let own = architecture, let theirs = other.architecture, own != theirs {
      return .anotherArchitecture
    }
    guard let own = id, let theirs = other.id else { return .unproved }
    if own != theirs { return .anotherBuild }
    return hasProof ? .sameBuild : .unproved
  }
}
