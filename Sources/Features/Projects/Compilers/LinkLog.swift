import CommandSupport
import LibC

/// The file in which compiler wrappers note which images they link. Many wrappers write to it at the same time, so each
/// wrapper writes a note with one call.
package struct LinkLog {
  /// An image that was linked.
  package struct Link: Hashable {
    /// The absolute path of the image, which may contain symbolic links.
    package var path: String
    package var linker: BuildLinker
  }

  private let path: Word

  package init(_ path: Word) { self.path = path }

  /// Notes that the image at `output` is linked, a path that may be relative to the current folder. If the note can't
  /// be written, it is missing; the link does not fail.
  package func append(_ output: Word, linker: BuildLinker) {
    var absolute = output
    if output.first != UInt8(ascii: "/"), let folder = Folder.currentBytes() {
      absolute = folder + [UInt8(ascii: "/")] + output
    }
    let descriptor = open(
      path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try? writeAll(Array(linker.name.utf8) + [0] + absolute + [0], to: descriptor)
  }

  /// Returns the linked images in the order of their first links, each once, with the linker of its last link. Leaves
  /// out images whose paths are not UTF-8. Returns an empty array if there is no file at `path`.
  package static func links(inFileAt path: String) -> [Link] {
    guard let bytes = try? InputFile.bytes(path) else { return [] }
    let parts = bytes.copy(0..<bytes.count).split(separator: 0, omittingEmptySubsequences: false)
    var links: [Link] = []
    var places: [String: Int] = [:]
    for index in stride(from: 0, to: parts.count - 2, by: 2) {
      guard let path = String(validating: parts[index + 1], as: UTF8.self) else { continue }
      let link = Link(
        path: path,
        linker: BuildLinker(demandedBy: String(decoding: parts[index], as: UTF8.self)))
      if let place = places[path] {
        links[place] = link
      } else {
        places[path] = links.count
        links.append(link)
      }
    }
    return links
  }
}
