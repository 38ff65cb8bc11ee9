import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import Symbolication

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An executable or shared library that a build has linked.
package struct ProjectImage: Hashable, Sendable {
  /// Absolute, without symbolic links; where the launches find it.
  package var path: String
  /// The path that the linker wrote, which may be another name of the same file.
  var linkedPath: String
  var linker: BuildLinker
  package var isLibrary: Bool

  var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)) }
  package var name: String { fileName(ofPath: path) }
  /// The name under which a wrapper looks for its order file.
  var orderName: String { fileName(ofPath: linkedPath) + ".order" }

  /// The images that `links` made, and that are in `tree`, each once, in the order of `links`.
  static func all(of links: [LinkLog.Link], in tree: String) -> [ProjectImage] {
    var images: [ProjectImage] = []
    for link in links {
      guard let linked = try? Folder.absolutePath(link.path), linked.hasPrefix(tree + "/"),
        let kind = kind(ofImageAt: linked)
      else { continue }
      let path = hardLink(of: linked) ?? linked
      guard !images.contains(where: { $0.path == path }) else { continue }
      images.append(
        ProjectImage(
          path: path, linkedPath: linked, linker: link.linker, isLibrary: kind == .library))
    }
    return images
  }

  /// The images of SwiftPM in `folder` of `tree`, by name; lld has linked them. Without what runs during the build,
  /// plugins' tools and macros: their modules have the ending `-tool`, which no other module's name can have.
  static func all(in folder: String, of tree: String) -> [ProjectImage] {
    guard let folder = try? Folder.absolutePath("\(tree)/\(folder)") else { return [] }
    return Folder.names(in: folder).compactMap { name in
      let path = "\(folder)/\(name)"
      guard Folder.linkTarget(path) == nil,
        !name.hasSuffix("-tool") || access("\(path).build", F_OK) != 0,
        let kind = kind(ofImageAt: path)
      else { return nil }
      return ProjectImage(
        path: path, linkedPath: path, linker: BuildLinker(.lld), isLibrary: kind == .library)
    }
  }

  private enum Kind { case program, library }

  /// `nil` if the file is no image that a loader takes.
  private static func kind(ofImageAt path: String) -> Kind? {
    guard let bytes = try? FileBytes(regularFileAt: path), bytes.hasPrefix("\u{7f}ELF", at: 0),
      bytes.count > 18, [[2, 0], [3, 0]].contains(bytes.copy(16..<18))  // ET_EXEC, ET_DYN
    else { return nil }
    let name = fileName(ofPath: path)
    return name.hasSuffix(".so") || name.contains(".so.") ? .library : .program
  }

  /// Cargo links `target/release/deps/app-0123abcd`, and gives it the name `target/release/app`, too.
  private static func hardLink(of path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 3, parts[parts.count - 2] == "deps" else { return nil }
    let folder = parts.dropLast(2).joined(separator: "/")
    var own = stat()
    guard stat(path, &own) == 0 else { return nil }
    return Folder.names(in: folder).map { "\(folder)/\($0)" }.first { other in
      var status = stat()
      return lstat(other, &status) == 0 && status.st_ino == own.st_ino
        && status.st_dev == own.st_dev
    }
  }

  /// Whether it is a program without a loader.
  var isStatic: Bool {
    guard !isLibrary, let bytes = try? FileBytes(path: path), let pages = try? ImagePages(of: bytes)
    else { return false }
    return !pages.hasLoader
  }

  /// Whether Go's linker linked the image, or the image contains code of Go.
  var isMadeByGo: Bool {
    guard let bytes = try? FileBytes(path: path) else { return false }
    return BuildFacts.isMadeByGo(bytes)
  }

  /// Whether the image has no table of symbols, so that at most its exported functions have names.
  var isStripped: Bool {
    (try? Image.reading(path: path))?.1.contains(where: \.isAboutMissingSymbolTable) ?? false
  }

  /// What shows that the file is still the same.
  var stamp: String { Self.stamp(ofFileAt: path) }

  /// What shows that the file at `path` is still the same.
  static func stamp(ofFileAt path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "gone" }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return "\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
  }

  /// A symbolic link to an image.
  struct Link: Hashable {
    var path: String
    var target: String

    /// Makes the link unless something is at its path.
    func restore() {
      // EEXIST: the build has made the link again.
      symlink(target, path)
    }
  }

  /// Removes the file under all names that make build systems link it again.
  ///
  /// - Returns: the symbolic links that were removed. Some builds do not make them again: Meson makes
  ///   links only when it configures.
  func removeForRelink() -> [Link] {
    let file = fileName(ofPath: linkedPath)
    let folder = String(linkedPath.dropLast(file.count + 1))
    var links: [Link] = []
    // Links such as libapp.so, which a rule that makes them would find in its way.
    for name in Folder.names(in: folder) where Folder.linkTarget("\(folder)/\(name)") == file {
      links.append(Link(path: "\(folder)/\(name)", target: file))
      unlink("\(folder)/\(name)")
    }
    unlink(path)
    unlink(linkedPath)
    guard folder.hasSuffix("/.libs") else { return links }
    // libtool: the targets of make are the script of a program, and the description of a library.
    let above = String(folder.dropLast("/.libs".count))
    for name in Folder.names(in: above) {
      let path = "\(above)/\(name)"
      if name == file {
        unlink(path)
      } else if name.hasSuffix(".la"), let bytes = try? FileBytes(regularFileAt: path),
        bytes.text(0..<bytes.count).contains(file)
      {
        unlink(path)
      }
    }
    return links
  }
}
