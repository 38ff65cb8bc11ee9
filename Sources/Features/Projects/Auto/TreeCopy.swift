// A copy of a folder that is brought up to date again and again, while a build works in it.
//
// The copy also has files of its own, which the build makes, and the build may change files that were copied. So an
// update does not compare the copy with the source. It compares the source with a list, kept beside the copy, of what
// each source file was like when it was copied. Files that differ from the list are copied again. Files on the list
// that are no longer in the source are removed. Everything else in the copy stays as it is, so that the build system
// has nothing to do for it. The list is written last; without a list, the whole copy is made again.
//
// Build systems compare times of modification. In a new copy, files have the times of the source. Files that are copied
// later get the present time: the time of the source may be before the time of an object that the build has made from
// the replaced file. Files that are copied together keep their order in time.
//
// Caches and build folders are not copied. They hold absolute paths of the source and can be made again: folders with a
// CACHEDIR.TAG, the build folders of CMake, Meson and SwiftPM, and the folder with the results. Objects are not copied,
// either: they would take the place of the objects that are compiled for ordering. SwiftPM's downloads are copied, so
// that they need not be downloaded again.
//
// The build may replace a folder by a link. Nothing is written or removed through such a link: paths in the copy are
// followed folder by folder.

import CommandSupport
import ImageModel
import LibC
import ProcessLaunch

/// Copies a folder with everything in it.
package struct TreeCopy {
  /// The absolute paths of the project and of the copy.
  private let source: Word
  private let copy: Word
  /// The path of the list of what was copied.
  private let list: String
  /// A folder that is not copied.
  private let excluded: Word

  /// The result of an update.
  package struct Update: Equatable {
    /// Whether nothing was copied before.
    package var isNew: Bool
    /// Whether anything was copied or removed.
    package var hasChanges: Bool
    /// Whether the source has objects of a build.
    package var hasObjects: Bool

    package init(isNew: Bool, hasChanges: Bool, hasObjects: Bool) {
      self.isNew = isNew
      self.hasChanges = hasChanges
      self.hasObjects = hasObjects
    }
  }

  package init(of source: String, to copy: String, list: String, excluding excluded: String) {
    self.source = Array(source.utf8)
    self.copy = Array(copy.utf8)
    self.list = list
    self.excluded = Array(excluded.utf8)
  }

  /// The size, times and mode that a file had when it was copied.
  private struct Stamp: Equatable {
    var mode: UInt32
    var size: Int64
    var modified: [Int]
    /// The time of the last change of the inode, which also changes if a file is replaced by an older file.
    var changed: [Int]

    init(_ status: stat) {
      mode = UInt32(status.st_mode)
      size = Int64(status.st_size)
      modified = [status.modification.tv_sec, status.modification.tv_nsec]
      changed = [status.change.tv_sec, status.change.tv_nsec]
    }

    /// The text for the list. For a folder it has the mode only, because each update looks at the folder's contents.
    var text: String {
      if mode & UInt32(S_IFMT) == UInt32(S_IFDIR) { return "\(mode)" }
      return "\(mode) \(size) \(modified[0]).\(modified[1]) \(changed[0]).\(changed[1])"
    }
  }

  /// Makes the copy equal to the source, apart from files that the build made.
  ///
  /// - Throws: also `interrupted`. The next update then makes a new copy.
  /// - Complexity: O(*n* log *n*) for *n* files in the source, and the bytes of the files that differ.
  package func update() throws(Diagnostic) -> Update {
    let known = readList()
    if known == nil { Folder.remove(copy) }
    unlink(list)
    try makeFolder(copy, mode: 0o755)
    var state = State(known: known ?? [:])
    try copyFolder([], &state)
    if known != nil { renewTimes(of: state.copied) }
    let present = Set(state.found.map(\.path))
    // Descending, so that a folder's contents come before the folder.
    let gone = state.known.keys.filter { !present.contains($0) && Self.isInside($0) }.sorted {
      $1.lexicographicallyPrecedes($0)
    }
    for path in gone { remove(path) }
    var bytes: [UInt8] = []
    for (path, stamp) in state.found { bytes += path + [0] + Array(stamp.utf8) + [0] }
    try OutputFile(list).finish(bytes)
    return Update(
      isNew: known == nil, hasChanges: state.hasChanges || !gone.isEmpty,
      hasObjects: state.hasObjects)
  }

  /// The files that an update has found so far.
  private struct State {
    /// The stamps of the last update, by path.
    let known: [Word: String]
    var found: [(path: Word, stamp: String)] = []
    /// The regular files that were copied, with the times of their sources.
    var copied: [(path: Word, modified: timespec)] = []
    var hasChanges = false
    var hasObjects = false
  }

  /// Gives files the present time, a microsecond apart in the order of the times that they had.
  private func renewTimes(of files: [(path: Word, modified: timespec)]) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    func key(_ time: timespec) -> (Int, Int) { (time.tv_sec, time.tv_nsec) }
    var last: timespec?
    for (path, modified) in files.sorted(by: { key($0.modified) < key($1.modified) }) {
      if let last, key(last) != key(modified) { time.tv_nsec += 1000 }
      last = modified
      if time.tv_nsec >= 1_000_000_000 {
        time.tv_sec += 1
        time.tv_nsec -= 1_000_000_000
      }
      utimensat(AT_FDCWD, Self.cString(copy + path), [time, time], AT_SYMLINK_NOFOLLOW)
    }
  }

  /// Removes a file or an empty folder of the copy. Does nothing if a folder on the path is no longer a folder.
  private func remove(_ path: Word) {
    let names = path.split(separator: UInt8(ascii: "/"))
    guard let last = names.last else { return }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var folder = open(Self.cString(copy), flags)
    defer { if folder >= 0 { close(folder) } }
    for name in names.dropLast() where folder >= 0 {
      let next = openat(folder, Self.cString(Array(name)), flags)
      close(folder)
      folder = next
    }
    guard folder >= 0 else { return }
    let name = Self.cString(Array(last))
    if unlinkat(folder, name, 0) != 0 { unlinkat(folder, name, AT_REMOVEDIR) }
  }

  /// Returns the stamps by path; `nil` if nothing was copied yet, or if the last update was interrupted.
  private func readList() -> [Word: String]? {
    guard access(list, F_OK) == 0, let bytes = try? InputFile.bytes(list) else { return nil }
    let parts = bytes.copy(0..<bytes.count).split(separator: 0, omittingEmptySubsequences: false)
    var stamps: [Word: String] = [:]
    for index in stride(from: 0, to: parts.count - 1, by: 2) {
      stamps[Array(parts[index])] = String(decoding: parts[index + 1], as: UTF8.self)
    }
    return stamps
  }

  /// - Parameters:
  ///   - folder: the path of the folder in the source and in the copy: empty, or with a slash in front.
  ///   - wanted: the names in the folder that are copied; `nil` for all.
  private func copyFolder(
    _ folder: Word, _ state: inout State, only wanted: [String]? = nil
  ) throws(Diagnostic) {
    guard let names = Folder.entries(in: source + folder) else {
      throw Self.error("read", source + folder, errno)
    }
    for name in names where wanted?.contains(String(decoding: name, as: UTF8.self)) ?? true {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      // A file that is gone since the folder was read is left out.
      guard source + path != excluded, lstat(Self.cString(source + path), &status) == 0 else {
        continue
      }
      let stamp = Stamp(status).text
      let isKnown = state.known[path] == stamp
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        let place = String(decoding: source + path, as: UTF8.self)
        let isOfSwiftPM = Self.isOfSwiftPM(place)
        guard isOfSwiftPM || !Self.isMadeAgain(place) else { continue }
        state.found.append((path, stamp))
        // Folders in the copy are writable, because a build writes into them.
        try makeFolder(copy + path, mode: status.st_mode & 0o777 | 0o700)
        try copyFolder(path, &state, only: isOfSwiftPM ? Self.downloads : nil)
      case S_IFREG where Self.isObject(name):
        state.hasObjects = true
      case S_IFREG, S_IFLNK:
        if !isKnown {
          state.hasChanges = true
          if status.st_mode & S_IFMT == S_IFLNK {
            try copyLink(path, in: folder)
          } else {
            state.copied.append((path, try copyFile(path, status)))
          }
        }
        state.found.append((path, stamp))
      default: break
      }
    }
  }

  /// Whether the folder at `path` is a cache, or what a build system has made; such folders are not copied.
  package static func isMadeAgain(_ path: String) -> Bool {
    let signs = ["CACHEDIR.TAG", "CMakeCache.txt", "meson-private"]
    if signs.contains(where: { access("\(path)/\($0)", F_OK) == 0 }) { return true }
    return isOfSwiftPM(path)
  }

  private static func isOfSwiftPM(_ path: String) -> Bool {
    path.hasSuffix("/.build") && access("\(path)/../Package.swift", F_OK) == 0
  }

  /// The entries of a package's folder `.build` that are copied: its dependencies, and SwiftPM's notes about them.
  private static let downloads = ["checkouts", "repositories", "workspace-state.json"]

  /// Removes all objects below a folder.
  static func removeObjects(below path: String) {
    removeObjects(below: Array(path.utf8))
  }

  private static func removeObjects(below folder: Word) {
    for name in Folder.entries(in: folder) ?? [] {
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      guard lstat(cString(path), &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: removeObjects(below: path)
      case S_IFREG where isObject(name): unlink(cString(path))
      default: break
      }
    }
  }

  /// Removes the files in which build systems store what they have found on the machine, unless the source has such a file.
  /// With these files, a build system does not search again for something that it did not find.
  func removeConfiguration() { removeConfiguration(in: []) }

  /// - Parameter folder: the path of the folder in the source and the copy: empty, or with a slash in front.
  private func removeConfiguration(in folder: Word) {
    for name in Folder.entries(in: copy + folder) ?? [] {
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      guard lstat(Self.cString(copy + path), &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: removeConfiguration(in: path)
      case S_IFREG where Self.configurationFiles.contains(String(decoding: name, as: UTF8.self)):
        if access(Self.cString(source + path), F_OK) != 0 { unlink(Self.cString(copy + path)) }
      default: break
      }
    }
  }

  /// The files in which CMake, Meson and Autoconf store what they have found on the machine.
  private static let configurationFiles = [
    "CMakeCache.txt", "coredata.dat", "config.cache", "config.status",
  ]

  private static func isObject(_ name: Word) -> Bool {
    [".o", ".lo", ".obj", ".rlib", ".rmeta"].contains {
      name.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
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

  /// Copies a symbolic link. A link to an absolute path in the source is changed to lead to the copy. A relative link
  /// that leaves the source leads to the same file as before.
  private func copyLink(_ path: Word, in folder: Word) throws(Diagnostic) {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(Self.cString(source + path), &target, target.count - 1)
    guard count >= 0 else { throw Self.error("read", source + path, errno) }
    var bytes = target[..<count].map { UInt8(bitPattern: $0) }
    let slash = UInt8(ascii: "/")
    if bytes.starts(with: source + [slash]) {
      bytes = copy + bytes.dropFirst(source.count)
    } else if bytes.first != slash, Self.leaves(folder, by: bytes) {
      bytes = source + folder + [slash] + bytes
    }
    Folder.remove(copy + path)
    guard symlink(Self.cString(bytes), Self.cString(copy + path)) == 0 else {
      throw Self.error("write", copy + path, errno)
    }
  }

  /// Copies a regular file under another name first, so that no program reads or runs half a file.
  ///
  /// - Returns: the source's time of modification, which the copy has.
  private func copyFile(_ path: Word, _ status: stat) throws(Diagnostic) -> timespec {
    let input = open(Self.cString(source + path), O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw Self.error("read", source + path, errno) }
    defer { close(input) }
    let temporary = copy + path + Array(".orderfile-new".utf8)
    unlink(Self.cString(temporary))
    let output = open(Self.cString(temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw Self.error("write", copy + path, errno) }
    defer { close(output) }
    do { try copyContents(of: input, to: output) } catch {
      unlink(Self.cString(temporary))
      throw Self.error("write", copy + path, error.errno)
    }
    // A build may write to a file that the source has read-only.
    fchmod(output, status.st_mode & 0o777 | 0o200)
    let times = [status.access, status.modification]
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
    return times[1]
  }

  /// Whether the relative path `target`, from `folder`, leads out of the source at some point.
  private static func leaves(_ folder: Word, by target: Word) -> Bool {
    var depth = folder.split(separator: UInt8(ascii: "/")).count
    for part in target.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      depth += part.elementsEqual("..".utf8) ? -1 : 1
      if depth < 0 { return true }
    }
    return false
  }

  /// Whether a path of the list, which may be damaged, stays in the copy.
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
    .unable(to: verb, String(decoding: path, as: UTF8.self), errno)
  }
}
