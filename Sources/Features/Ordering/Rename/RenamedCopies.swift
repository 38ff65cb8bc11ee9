import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import Rendering

/// Copies of objects and archives in which objcopy has renamed the sections of ordered functions.
///
/// Only objcopy writes objects. All copies are made in a temporary folder inside the output folder, and get their names
/// when the last copy is complete. So an error leaves earlier copies as they are.
package struct RenamedCopies {
  /// The output folder.
  let folder: String
  let renaming: SectionRenaming
  private let environment: LaunchEnvironment
  /// The path of each copy, in the order of the objects.
  private let paths: [String]

  /// The names under which objcopy is installed. LLVM's objcopy is preferred, because it reads objects of all
  /// processors.
  private static let programs =
    ["llvm-objcopy"] + (14...30).reversed().map { "llvm-objcopy-\($0)" } + ["objcopy"]

  /// - Throws: an error if a copy would replace an object, or if two copies would have the same path.
  init(
    _ renaming: SectionRenaming, in folder: String, _ environment: LaunchEnvironment
  ) throws(Diagnostic) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
    self.renaming = renaming
    self.environment = environment
    let objects = renaming.objects.map(\.path)
    var taken: [String: String] = [:]
    paths = try objects.map { path throws(Diagnostic) in
      let copy = "\(folder)/\(try Self.place(of: path))"
      if let other = taken.updateValue(path, forKey: copy) {
        throw Diagnostic(
          "unable to copy both '\(other)' and '\(path)': the copies would be one file",
          context: [copy], hint: "name each object once, in the way the link does")
      }
      try OutputFile.check(
        copy, isNoneOf: objects, hint: "name another folder with '--rename-sections'")
      return copy
    }
  }

  /// Returns the path of the copy of `path` inside the output folder: the path itself, without `.` and, if it is
  /// absolute or leads out of the current folder, the absolute path without the first slash.
  private static func place(of path: String) throws(Diagnostic) -> String {
    var parts = path.split(separator: "/").filter { $0 != "." }
    if parts.contains("..") {
      parts = try Folder.absolutePath(path).split(separator: "/")
    }
    return parts.joined(separator: "/")
  }

  /// Makes the copies.
  ///
  /// - Throws: an error if objcopy fails, with its output; then no copy is changed.
  package func write() throws(Diagnostic) {
    guard
      let objcopy = Self.programs.lazy.compactMap({ try? environment.program(named: $0) }).first
    else {
      throw Diagnostic(
        "missing 'objcopy' on PATH, which renames sections",
        hint: "install Debian's package binutils or llvm")
    }
    let isNew = !Folder.exists(folder)
    try Folder.make(folder)
    do throws(Diagnostic) {
      var own = environment
      own.temporaryFolder = folder
      let stage = try TemporaryFolder(in: own)
      for (index, object) in renaming.objects.enumerated() {
        try copy(object, to: stage.path("\(index)"), objcopy, stage)
      }
      for path in paths {
        try makeFolders(of: path)
        guard !Folder.isFolder(path) else { throw .unable(to: "write", path, EISDIR) }
      }
      for (index, path) in paths.enumerated() {
        guard rename(stage.path("\(index)"), path) == 0 else { throw .unable(to: "write", path) }
      }
    } catch {
      if isNew { rmdir(folder) }
      throw error
    }
  }

  private func copy(
    _ object: LinkedObject, to copy: String, _ objcopy: String, _ stage: TemporaryFolder
  ) throws(Diagnostic) {
    let names = renaming.renamed(in: object)
    guard !names.isEmpty else {
      try OutputFile(copy).finish(copyOf: object.path)
      return
    }
    // Without a file of options, a command line would be too long for the names of a large archive.
    let options = names.flatMap { old, new in
      Array("--rename-section=".utf8) + escaped(old) + [UInt8(ascii: "=")] + escaped(new)
        + [UInt8(ascii: "\n")]
    }
    let list = stage.path("options")
    try OutputFile(list).finish(options)
    let command = [
      objcopy, "--enable-deterministic-archives", "@\(list)", operand(object.path), operand(copy),
    ]
    let log = ProgramLog(stage.path("log"))
    let result: ProgramLaunch.Result
    do {
      result = try log.streams { streams in
        var launch = ProgramLaunch(command: command, environment: [("LC_ALL", "C")])
        launch.streams = streams
        return try launch.run()
      }
    } catch let error as Diagnostic {
      throw error
    } catch {
      throw Diagnostic("unable to run: \(error)", context: [objcopy])
    }
    guard result.end == .exited(0), Folder.hasFile(copy) else {
      throw Diagnostic(
        "objcopy failed (\(result.end))\(log.lastLines())",
        context: [fileName(ofPath: objcopy), object.path])
    }
  }

  /// Returns the word that names a file on the command line of objcopy. A path that begins with `-` or `@` gets `./`.
  private func operand(_ path: String) -> String {
    path.hasPrefix("-") || path.hasPrefix("@") ? "./\(path)" : path
  }

  /// Returns a word of a file of options: blanks, quotation marks and backslashes get a backslash.
  private func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { byte in
      " \t\r\u{b}\u{c}'\"\\".utf8.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }

  private func makeFolders(of path: String) throws(Diagnostic) {
    let parts = path.dropFirst(folder.count).split(separator: "/").dropLast()
    var place = folder
    for part in parts {
      place += "/\(part)"
      try Folder.make(place)
    }
  }

  /// The summary of the copies, for the report.
  var summary: RenamingSummary {
    RenamingSummary(
      folder: folder, linkOptions: renaming.linker.linkOptions, sections: renaming.sectionCount,
      objects: zip(renaming.objects, paths).map { object, copy in
        RenamingSummary.Object(
          path: object.path, copy: copy, sections: renaming.renamed(in: object).count)
      })
  }
}
