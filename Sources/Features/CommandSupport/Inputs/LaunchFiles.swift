import ByteReading
import ImageModel
import LibC
import PagesFormat
import ProfileFormat
import Rendering
import Symbolication

/// The traces and profiles that a command line names: files, folders of them, and lists of their paths.
package struct LaunchFiles {
  package struct File: Sendable {
    package var path: String
    /// The number of times that the launches of the file count; at least 1.
    package var weight: UInt64
    /// The contents, if the file was opened to recognize it and stays open; else `nil`.
    private var openedBytes: FileBytes?

    package init(path: String, weight: UInt64 = 1, bytes: FileBytes? = nil) {
      self.path = path
      self.weight = weight
      openedBytes = bytes
    }

    /// Returns the contents. Opens the file unless it is open.
    package func bytes() throws(Diagnostic) -> FileBytes {
      if let openedBytes { return openedBytes }
      return try InputFile.bytes(path)
    }
  }

  /// The traces and profiles, ascending by path, so that the order of the arguments does not matter. A file that is
  /// named twice is listed twice.
  package private(set) var files: [File] = []
  /// The documents of pages, ascending by path; empty unless `takesPages`.
  package private(set) var pages: [File] = []
  private let takesPages: Bool
  private let keepsOpen: Bool
  package private(set) var warnings: [Diagnostic] = []

  package static let largestWeight = Profile.maximumLaunches

  /// - Parameters:
  ///   - paths: the paths of traces and profiles; of folders, whose traces and profiles are used, but not those of
  ///     subfolders; and `@` with the path of a list. A list has one path a line, optionally with a weight and a comma
  ///     before it. Empty lines and lines that begin with `#` do not count.
  ///   - weighted: such paths, each with a weight and a comma before it.
  ///   - takesPages: whether documents that `orderfile pages --json` wrote are launches, too.
  ///   - keepsOpen: whether files that are opened to recognize them stay open, so that each file is opened once. Code that reads
  ///     more files than a process may map opens one after the other instead.
  /// - Throws: an error if a list or a folder can't be read, if a folder has no trace, and for a weight that is not a
  ///   number from 1 to 2^48.
  package init(
    _ paths: [String], weighted: [String] = [], takesPages: Bool = false, keepsOpen: Bool = false
  ) throws(Diagnostic) {
    self.takesPages = takesPages
    self.keepsOpen = keepsOpen
    for path in paths { try add(path, weight: 1, mayBeList: true) }
    for argument in weighted {
      guard let comma = argument.firstIndex(of: ",") else {
        throw Diagnostic(
          "invalid weight: expected WEIGHT,FILE, found '\(argument)'", severity: .usage)
      }
      let weight = try Self.weight(argument[..<comma], context: [])
      try add(String(argument[argument.index(after: comma)...]), weight: weight, mayBeList: true)
    }
    files.sort(by: Self.precedes)
    pages.sort(by: Self.precedes)
  }

  /// Uses traces and profiles that have been opened.
  package init(opened files: [File]) {
    takesPages = false
    keepsOpen = true
    self.files = files.sorted(by: Self.precedes)
  }

  private static func precedes(_ a: File, _ b: File) -> Bool {
    let (pathA, pathB) = (Array(a.path.utf8), Array(b.path.utf8))
    return pathA == pathB ? a.weight < b.weight : pathA.lexicographicallyPrecedes(pathB)
  }

  private mutating func add(_ path: String, weight: UInt64, mayBeList: Bool) throws(Diagnostic) {
    if mayBeList, path.hasPrefix("@") {
      try addList(String(path.dropFirst()), weight: weight)
    } else if path != "-", Folder.isFolder(path) {
      try addFolder(path, weight: weight)
    } else if takesPages, path != "-", let bytes = opened(path) {
      append(path, weight, bytes, toPages: PagesDocument.begins(bytes))
    } else {
      files.append(File(path: path, weight: weight))
    }
  }

  /// Returns the contents of a regular file, to recognize it; `nil` if it can't be read.
  private func opened(_ path: String) -> FileBytes? {
    // Contents need to be copied only if they stay in use after this call.
    keepsOpen ? InputFile.regularFile(path) : try? FileBytes(regularFileAt: path)
  }

  private mutating func append(
    _ path: String, _ weight: UInt64, _ bytes: FileBytes, toPages isPages: Bool
  ) {
    let file = File(path: path, weight: weight, bytes: keepsOpen ? bytes : nil)
    if isPages { pages.append(file) } else { files.append(file) }
  }

  private mutating func addList(_ path: String, weight: UInt64) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    var count = 0
    for (number, line) in bytes.text(bytes.all.indices).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      guard let first = line.first, first != "#" else { continue }
      count += 1
      let place = [path, "line \(number + 1)"]
      var (name, weight) = (line, weight)
      if let comma = line.firstIndex(of: ","), line[..<comma].allSatisfy(\.isNumber) {
        let (product, overflow) = weight.multipliedReportingOverflow(
          by: try Self.weight(line[..<comma], context: place))
        guard !overflow else { throw Self.invalid(line, context: place) }
        weight = product
        name = line[line.index(after: comma)...]
      }
      // A list can't name itself.
      try add(String(name), weight: weight, mayBeList: false)
    }
    if count == 0 { throw Diagnostic("missing paths: the list is empty", context: [path]) }
  }

  private mutating func addFolder(_ path: String, weight: UInt64) throws(Diagnostic) {
    var others: [String] = []
    let folder = path.hasSuffix("/") ? path : path + "/"
    let count = files.count + pages.count
    guard let entries = Folder.entries(in: Array(path.utf8)) else {
      throw .unable(to: "read the folder", path)
    }
    for entry in entries where entry.first != UInt8(ascii: ".") {
      guard let name = String(validating: entry, as: UTF8.self) else { continue }
      let path = folder + name
      guard !Folder.isFolder(path) else { continue }
      guard let bytes = opened(path) else {
        others.append(name)
        continue
      }
      switch FileKind(of: bytes) {
      case .trace, .profile, .payload: append(path, weight, bytes, toPages: false)
      default:
        if takesPages, PagesDocument.begins(bytes) {
          append(path, weight, bytes, toPages: true)
        } else {
          others.append(name)
        }
      }
    }
    guard files.count + pages.count > count else {
      throw Diagnostic(
        "missing traces: none of \(counted(others.count, "file")) in the folder is a trace or a profile",
        context: [path], severity: .nothingRecorded, kind: .missingTraces)
    }
    if !others.isEmpty {
      let named = others.prefix(3).joined(separator: ", ")
      warnings.append(
        Diagnostic(
          "left out \(counted(others.count, "file")) that \(others.count == 1 ? "is" : "are") neither a trace nor a "
            + "profile: \(named)\(others.count > 3 ? ", ..." : "")", context: [path]))
    }
  }

  private static func weight(
    _ text: Substring, context: [String]
  ) throws(Diagnostic) -> UInt64 {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let weight = UInt64(text), weight > 0,
      weight <= largestWeight
    else { throw invalid(text, context: context) }
    return weight
  }

  private static func invalid(_ text: Substring, context: [String]) -> Diagnostic {
    Diagnostic(
      "invalid weight: expected 1 to \(largestWeight), found '\(text)'",
      context: context, severity: .usage)
  }
}
