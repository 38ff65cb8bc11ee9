import ByteReading
import CommandSupport
import ImageModel
import LibC
import OrderFileFormat
import Symbolication

/// An executable or shared library that a build has linked.
package struct ProjectImage: Hashable, Sendable {
  /// The absolute path, without symbolic links, where launches find the image.
  package var path: String
  /// The path to which the linker wrote the image. It may be another name of the file at `path`.
  var linkedPath: String
  var linker: BuildLinker
  package var isLibrary: Bool

  var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)) }
  package var name: String { fileName(ofPath: path) }
  /// The name under which a wrapper looks for its order file.
  var orderName: String { fileName(ofPath: linkedPath) + ".order" }
  /// The names of the source file by which the image prefetches, and of its object. A wrapper looks for the source file,
  /// and compiles it to the object.
  var prefetchSourceName: String { fileName(ofPath: linkedPath) + "-prefetch.c" }
  var prefetchObjectName: String { fileName(ofPath: linkedPath) + "-prefetch.o" }

  /// Returns the images of `links` that exist in `tree`, each once, in the order of `links`.
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

  /// Returns the images that lld has linked for SwiftPM in `folder` of `tree`, by name. Leaves out tools of plugins and
  /// macros, which run during the build: their modules have the ending `-tool`, which no other module's name can have.
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

  /// Returns the kind of the image at `path`; `nil` if the file is no ELF executable or shared library.
  private static func kind(ofImageAt path: String) -> Kind? {
    guard let bytes = try? FileBytes(regularFileAt: path), bytes.hasPrefix("\u{7f}ELF", at: 0),
      bytes.count > 18, [[2, 0], [3, 0]].contains(bytes.copy(16..<18))  // ET_EXEC, ET_DYN
    else { return nil }
    let name = fileName(ofPath: path)
    return name.hasSuffix(".so") || name.contains(".so.") ? .library : .program
  }

  /// Returns the second path that cargo gives an image: it links `target/release/deps/app-0123abcd`, which also gets
  /// the name `target/release/app`. `nil` if the image has no such path.
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

  /// Whether the image is a program that needs no loader.
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
    (try? Image.reading(path: path))?.1.contains { $0.kind == .missingSymbolTable } ?? false
  }

  /// The stamp of the file. It changes if the file changes.
  var stamp: String { Self.stamp(ofFileAt: path) }

  /// Returns the stamp of the file at `path`: its inode, size and time of modification.
  static func stamp(ofFileAt path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "gone" }
    let time = status.modification
    return "\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
  }

  /// A symbolic link to an image.
  struct Link: Hashable {
    var path: String
    var target: String

    /// Makes the link unless something is at its path.
    func restore() {
      // The error EEXIST, if the build has made the link again, is ignored.
      symlink(target, path)
    }
  }

  /// Removes the files of an image that a build system looks for, so that it links the image again.
  ///
  /// - Returns: the symbolic links that were removed. Some builds do not make them again: Meson makes
  ///   links only when it configures.
  func removeForRelink() -> [Link] {
    let file = fileName(ofPath: linkedPath)
    let folder = String(linkedPath.dropLast(file.count + 1))
    var links: [Link] = []
    // Symbolic links such as libapp.so are removed, because a rule that makes such a link may fail if the link exists.
    for name in Folder.names(in: folder) where Folder.linkTarget("\(folder)/\(name)") == file {
      links.append(Link(path: "\(folder)/\(name)", target: file))
      unlink("\(folder)/\(name)")
    }
    unlink(path)
    unlink(linkedPath)
    guard folder.hasSuffix("/.libs") else { return links }
    // With libtool, the targets of make are the script of a program and the description of a library.
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
