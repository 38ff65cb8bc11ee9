// A copy of a folder that is brought up to date again and again, while a build works in it.
//
// The copy has files of its own: what the build makes. And the build may change files that were copied. So what is to be
// done is found out from the source alone: a list, kept beside the copy, says what each file of the source was like when
// it was copied. What differs from the list is copied again; what is on the list and no longer in the source is removed.
// Everything else in the copy stays as it is, so that the build system has nothing to do for it. Times of modification
// are copied: build systems compare them.
//
// Not copied are caches and build folders, which hold absolute paths of the source and can be made again: folders with a
// CACHEDIR.TAG, those of CMake, Meson and SwiftPM, and the folder with the results.

import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Copies a folder with everything in it.
package struct TreeCopy {
  /// Absolute paths.
  private let source: Word
  private let copy: Word
  /// The path of the list of what was copied.
  private let list: String
  /// A folder that is not copied.
  private let excluded: Word

  /// What an update has found.
  package struct Update: Equatable {
    /// Whether nothing was copied before.
    package var isNew: Bool
    /// Whether the source has objects of a build.
    package var hasObjects: Bool

    package init(isNew: Bool, hasObjects: Bool) {
      self.isNew = isNew
      self.hasObjects = hasObjects
    }
  }

  package init(of source: String, to copy: String, list: String, excluding excluded: String) {
    self.source = Array(source.utf8)
    self.copy = Array(copy.utf8)
    self.list = list
    self.excluded = Array(excluded.utf8)
  }

  /// What a file was like when it was copied.
  private struct Stamp: Equatable {
    var mode: UInt32
    var size: Int64
    var modified: [Int]
    /// Also changes if a file is replaced by an older one.
    var changed: [Int]

    init(_ status: stat) {
      mode = UInt32(status.st_mode)
      size = Int64(status.st_size)
      #if canImport(Darwin)
        let (modification, change) = (status.st_mtimespec, status.st_ctimespec)
      #else
        let (modification, change) = (status.st_mtim, status.st_ctim)
      #endif
      modified = [modification.tv_sec, modification.tv_nsec]
      changed = [change.tv_sec, change.tv_nsec]
    }

    /// Of a folder, its contents are looked at anyway.
    var text: String {
      if mode & UInt32(S_IFMT) == UInt32(S_IFDIR) { return "\(mode)" }
      return "\(mode) \(size) \(modified[0]).\(modified[1]) \(changed[0]).\(changed[1])"
    }
  }

  /// Makes the copy equal to the source, but for what was made in it.
  ///
  /// - Throws: also `interrupted`. The list then is as before, and the next update completes this one.
  /// - Complexity: O(*n*) for *n* files in the source, and what differs is read.
  package func update() throws(Diagnostic) -> Update {
    let known = readList()
    var found: [(path: Word, stamp: String)] = []
    // A list that is incomplete means that everything is copied again.
    unlink(list)
    try makeFolder(copy, mode: 0o755)
    try copyFolder([], known ?? [:], &found)
    let present = Set(found.map(\.path))
    // Contents of folders before the folders.
    for path in (known ?? [:]).keys.filter({ !present.contains($0) && Self.isInside($0) }).sorted(
      by: { $1.lexicographicallyPrecedes($0) })
    {
      let place = Self.cString(copy + path)
      if unlink(place) != 0 { rmdir(place) }
    }
    var bytes: [UInt8] = []
    for (path, stamp) in found { bytes += path + [0] + Array(stamp.utf8) + [0] }
    try OutputFile(list).finish(bytes)
    let hasObjects = present.contains { path in
      [".o", ".lo", ".obj"].contains { path.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
    return Update(isNew: known == nil, hasObjects: hasObjects)
  }

  /// The stamps by path; `nil` if nothing was copied yet, or not all.
  private func readList() -> [Word: String]? {
    guard access(list, F_OK) == 0, let bytes = try? InputFile.bytes(list) else { return nil }
    let parts = bytes.copy(0..<bytes.count).split(separator: 0, omittingEmptySubsequences: false)
    var stamps: [Word: String] = [:]
    for index in stride(from: 0, to: parts.count - 1, by: 2) {
      stamps[Array(parts[index])] = String(decoding: parts[index + 1], as: UTF8.self)
    }
    return stamps
  }

  /// - Parameter folder: relative to source and copy: empty, or with a slash in front.
  private func copyFolder(
    _ folder: Word, _ known: [Word: String], _ found: inout [(path: Word, stamp: String)]
  ) throws(Diagnostic) {
    guard let names = Folder.entries(in: source + folder) else {
      throw Self.error("read", source + folder, errno)
    }
    for name in names {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      // It may be gone by now.
      guard source + path != excluded, lstat(Self.cString(source + path), &status) == 0 else {
        continue
      }
      let stamp = Stamp(status).text
      let isKnown = known[path] == stamp
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard !Self.isMadeAgain(String(decoding: source + path, as: UTF8.self)) else { continue }
        found.append((path, stamp))
        // A build writes into folders.
        try makeFolder(copy + path, mode: status.st_mode & 0o777 | 0o700)
        try copyFolder(path, known, &found)
        continue
      case S_IFREG: if !isKnown { try copyFile(path, status) }
      case S_IFLNK: if !isKnown { try copyLink(path) }
      default: continue
      }
      found.append((path, stamp))
    }
  }

  /// Whether the folder at `path` is a cache, or what a build system has made; such folders are not copied.
  package static func isMadeAgain(_ path: String) -> Bool {
    let signs = ["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"]
    if signs.contains(where: { access("\(path)/\($0)", F_OK) == 0 }) { return true }
    return path.hasSuffix("/.build") && access("\(path)/../Package.swift", F_OK) == 0
  }

  private func makeFolder(_ path: Word, mode: mode_t) throws(Diagnostic) {
    if mkdir(Self.cString(path), mode) == 0 { return }
    guard errno == EEXIST else { throw Self.error("make", path, errno) }
    var status = stat()
    if lstat(Self.cString(path), &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      unlink(Self.cString(path))
      guard mkdir(Self.cString(path), mode) == 0 else { throw Self.error("make", path, errno) }
    }
  }

  /// Copies a symbolic link; one to an absolute path in the source leads to the copy.
  private func copyLink(_ path: Word) throws(Diagnostic) {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(Self.cString(source + path), &target, target.count - 1)
    guard count >= 0 else { throw Self.error("read", source + path, errno) }
    var bytes = target[..<count].map { UInt8(bitPattern: $0) }
    if bytes.starts(with: source + [UInt8(ascii: "/")]) {
      bytes = copy + bytes.dropFirst(source.count)
    }
    Folder.remove(copy + path)
    guard symlink(Self.cString(bytes), Self.cString(copy + path)) == 0 else {
      throw Self.error("write", copy + path, errno)
    }
  }

  /// Copies a regular file under another name first, so that a program that runs it does not see half of it.
  private func copyFile(_ path: Word, _ status: stat) throws(Diagnostic) {
    let input = open(Self.cString(source + path), O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw Self.error("read", source + path, errno) }
    defer { close(input) }
    let temporary = copy + path + Array(".orderfile-new".utf8)
    unlink(Self.cString(temporary))
    let output = open(Self.cString(temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw Self.error("write", copy + path, errno) }
    defer { close(output) }
    let problem = copyContents(of: input, to: output)
    guard problem == 0 else {
      unlink(Self.cString(temporary))
      throw Self.error("write", copy + path, problem)
    }
    // A build may write to a file that the source has read-only.
    fchmod(output, status.st_mode & 0o777 | 0o200)
    #if canImport(Darwin)
      let times = [status.st_atimespec, status.st_mtimespec]
    #else
      let times = [status.st_atim, status.st_mtim]
    #endif
    futimens(output, times)
    var error = rename(Self.cString(temporary), Self.cString(copy + path)) == 0 ? 0 : errno
    if error == EISDIR {
      Folder.remove(copy + path)
      error = rename(Self.cString(temporary), Self.cString(copy + path)) == 0 ? 0 : errno
    }
    guard error == 0 else {
      unlink(Self.cString(temporary))
      throw Self.error("write", copy + path, error)
    }
  }

  /// Whether a path of the list, which may be damaged, leads to something in the copy.
  private static func isInside(_ path: Word) -> Bool {
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count > 1 && parts[0].isEmpty
      && parts.dropFirst().allSatisfy {
        !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8)
      }
  }

  private static func cString(_ path: Word) -> [CChar] {
    path.map { CChar(bitPattern: $0) } + [0]
  }

  private static func error(_ verb: String, _ path: Word, _ errno: Int32) -> Diagnostic {
    Diagnostic(
      "unable to \(verb): \(String(cString: strerror(errno)))",
      context: [String(decoding: path, as: UTF8.self)])
  }
}
