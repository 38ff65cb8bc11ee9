/// An image as a document states it, so that figures of different programs, architectures and builds are not mixed.
package struct ImageReference: Hashable, Sendable {
  package var path: String
  /// `nil` if it is unknown: a link map need not state it, and an older document does not.
  package var architecture: Architecture?
  /// The image ID as reports write it; `nil` for a link map, a script, and in an older document.
  package var id: String?

  package init(path: String, architecture: Architecture? = nil, id: String? = nil) {
    self.path = path
    self.architecture = architecture
    self.id = id
  }

  /// The file name, by which documents of several builds call the same image.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Whether the ID proves which build this is. A weak one is the same for builds that differ in code only.
  package var hasProof: Bool { id.map { !$0.hasPrefix("weak:") } ?? false }
}
