import CommandSupport
import ImageModel
import LibC

/// Puts an order file into a project's own build, and takes it out again: `orderfile init`.
package struct ProjectIntegration {
  /// The folder of the project.
  private let folder: String
  private let integration: BuildIntegration
  /// The commands that build the project with the order file.
  package let build: String

  /// - Parameters:
  ///   - folder: the project's folder.
  ///   - system: the build system to use if the project has several; `nil` to use the only one.
  /// - Throws: if the build system is unknown, or if it has no place for an order file.
  package init(of folder: String, buildSystem system: String?) throws(Diagnostic) {
    self.folder = try Folder.absolutePath(folder)
    let names = Folder.names(in: self.folder)
    let found = BuildSystem.all(in: Set(names))
    if found.isEmpty,
      names.contains(where: { $0.hasSuffix(".xcodeproj") || $0.hasSuffix(".xcworkspace") })
    {
      throw Diagnostic(
        "this is an Xcode project: its files need no change", context: [folder],
        hint: "'orderfile init --print xcode -o orderfile' writes two settings files",
        severity: .usage)
    }
    guard !found.isEmpty else {
      if let language = UnsupportedLanguage(filesNamed: names) { throw language.error(folder) }
      throw Diagnostic(
        "no build system that init can change: expected CMakeLists.txt, meson.build, Cargo.toml or Package.swift",
        context: [folder], hint: BuildIntegration.otherBuilds, severity: .usage)
    }
    // Build systems without a place for an order file are ignored if there is another one, because many projects have a
    // makefile beside another build system.
    let usable = found.filter { $0.orderFilePlace != nil }
    let chosen = try BuildSystem.only(
      of: usable.isEmpty || system != nil ? found : usable, wanted: system, project: folder,
      hint: "use one of these: --build-system \(found[0].name)")
    guard let place = chosen.orderFilePlace else {
      throw Diagnostic(
        "init can't change makefiles, because each makefile uses flags in its own way",
        hint: BuildIntegration.otherBuilds, severity: .usage)
    }
    let bytes = try InputFile.bytes("\(self.folder)/\(place.descriptionFile)")
    integration = BuildIntegration(in: place, describedBy: bytes.text(0..<bytes.count))
    // The build command for SwiftPM is written here, because the one of `BuildSystem` names a toolset in a folder of
    // `auto`.
    build =
      chosen.usesToolset
      ? "swift build -c release --toolset orderfile.json"
      : [chosen.configure, chosen.build].compactMap { $0 }.joined(separator: " && ")
  }

  /// Returns the files that the integration changes, in the order in which they have to be written.
  ///
  /// - Parameter removing: whether to remove the integration instead of making it.
  /// - Throws: if a file has unexpected contents. Nothing is changed then.
  package func changes(removing: Bool) throws(Diagnostic) -> [FileChange] {
    if !removing, let obstacle = integration.obstacle { throw obstacle }
    var changes: [FileChange] = []
    for edit in removing ? integration.edits.reversed() : integration.edits {
      let path = "\(folder)/\(edit.path)"
      var before: [UInt8]?
      if OptionFile.exists(Array(path.utf8)) {
        let bytes = try InputFile.bytes(path)
        before = bytes.copy(0..<bytes.count)
      }
      let after = removing ? try edit.removed(from: before) : try edit.applied(to: before)
      if before != after {
        changes.append(FileChange(path: edit.path, before: before, after: after))
      }
    }
    return changes
  }

  /// Makes the changes in the files of the project. Each file is replaced as a whole, and no file is replaced before it
  /// is certain that all can be written.
  package func make(_ changes: [FileChange]) throws(Diagnostic) {
    var outputs: [(file: OutputFile, bytes: [UInt8])] = []
    for change in changes {
      guard let after = change.after else { continue }
      if let subfolder = change.subfolder { try Folder.make("\(folder)/\(subfolder)") }
      outputs.append((try OutputFile("\(folder)/\(change.path)"), after))
    }
    for output in outputs { try output.file.finish(output.bytes) }
    for change in changes where change.after == nil {
      let path = "\(folder)/\(change.path)"
      guard unlink(path) == 0 else {
        throw .unable(to: "remove", path)
      }
      // The file's folder is removed if it is empty.
      if let subfolder = change.subfolder { rmdir("\(folder)/\(subfolder)") }
    }
  }
}

/// A file before and after a change.
package struct FileChange: Hashable, Sendable {
  /// The path of the file, relative to the project's folder.
  package var path: String
  /// The contents before the change; `nil` if there was no file.
  package var before: [UInt8]?
  package var after: [UInt8]?

  package init(path: String, before: [UInt8]?, after: [UInt8]?) {
    self.path = path
    self.before = before
    self.after = after
  }

  /// The folder of the file, relative to the project's folder; `nil` for a file in the project's folder itself.
  fileprivate var subfolder: Substring? {
    path.lastIndex(of: "/").map { path[..<$0] }
  }

  /// The change as `diff -u` prints it, in one hunk.
  /// <https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html>
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package var unifiedDiff: [UInt8] {
    let (old, new) = (lines(before ?? []), lines(after ?? []))
    var same = 0
    while same < min(old.count, new.count), old[same] == new[same] { same += 1 }
    var sameAtEnd = 0
    while sameAtEnd < min(old.count, new.count) - same,
      old[old.count - 1 - sameAtEnd] == new[new.count - 1 - sameAtEnd]
    {
      sameAtEnd += 1
    }
    let context = 3
    let start = max(0, same - context)
    let after = min(context, sameAtEnd)
    let (oldEnd, newEnd) = (old.count - sameAtEnd, new.count - sameAtEnd)
    func range(_ count: Int) -> String { "\(count == 0 ? start : start + 1),\(count)" }
    var text = Array("--- \(before == nil ? "/dev/null" : "a/\(path)")\n".utf8)
    text += Array("+++ \(self.after == nil ? "/dev/null" : "b/\(path)")\n".utf8)
    text += Array(
      "@@ -\(range(oldEnd + after - start)) +\(range(newEnd + after - start)) @@\n".utf8)
    for (mark, lines) in [
      (" ", old[start..<same]), ("-", old[same..<oldEnd]), ("+", new[same..<newEnd]),
      (" ", old[oldEnd..<oldEnd + after]),
    ] {
      for line in lines {
        text += Array(mark.utf8) + line
        if line.last != UInt8(ascii: "\n") {
          text += Array("\n\\ No newline at end of file\n".utf8)
        }
      }
    }
    return text
  }

  private func lines(_ contents: [UInt8]) -> [ArraySlice<UInt8>] {
    TextLines(contents).ranges.map { contents[$0] }
  }
}
