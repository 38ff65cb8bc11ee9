// An app is a folder, NAME.app, and an app extension is a folder, NAME.appex, in the app's folder PlugIns or Extensions. On
// iOS the program is in this folder, on macOS in Contents/MacOS; it has the name of the folder, or it is the only program
// there. Libraries are in Frameworks, as NAME.framework or NAME.dylib. The library of NAME.framework is NAME in this
// folder, on macOS a link to Versions/Current/NAME. An app extension also uses the libraries of its app, by
// `@executable_path/../../Frameworks`.

import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat

/// A folder with an image: an app, an app extension or a framework.
struct Bundle {
  /// The path of the program, or of the framework's library.
  let image: String
  /// The paths of the libraries in `Frameworks`, ascending.
  let libraries: [String]

  /// - Throws: if the folder is not an app, an app extension or a framework, if it has no image, or if it has several
  ///   programs but no program with the folder's name.
  init(at path: String) throws(Diagnostic) {
    var folder = path[...]
    while folder.count > 1, folder.hasSuffix("/") { folder = folder.dropLast() }
    let name = folder.split(separator: "/").last.map(String.init) ?? String(folder)
    guard let kind = Self.kinds.first(where: { name.hasSuffix(".\($0)") }) else {
      let found = Folder.names(in: path).isEmpty ? "an empty folder" : "a folder"
      throw Diagnostic(
        "unable to read: expected an image, an app (NAME.app), an app extension (NAME.appex) or a framework "
          + "(NAME.framework), found \(found)", context: [path],
        hint: "give the file of the program")
    }
    let stem = String(name.dropLast(kind.count + 1))
    let contents = Folder.names(in: "\(folder)/Contents").isEmpty ? "" : "/Contents"
    image =
      kind == "framework"
      ? try Self.library(called: stem, in: String(folder))
      : try Self.program(
        called: stem, in: contents.isEmpty ? String(folder) : "\(folder)/Contents/MacOS")
    let frameworks = "\(folder)\(contents)/Frameworks"
    libraries = Folder.names(in: frameworks).compactMap { name in
      if name.hasSuffix(".dylib") { return "\(frameworks)/\(name)" }
      guard name.hasSuffix(".framework") else { return nil }
      return "\(frameworks)/\(name)/\(name.dropLast(".framework".count))"
    }
  }

  private static let kinds = ["app", "appex", "framework"]

  private static func library(called name: String, in folder: String) throws(Diagnostic) -> String {
    let path = "\(folder)/\(name)"
    if Folder.hasFile(path) { return path }
    throw Diagnostic(
      "expected a library called '\(name)', found none", context: [folder],
      hint: "give the file of the library")
  }

  private static func program(called name: String, in folder: String) throws(Diagnostic) -> String {
    let programs = Folder.names(in: folder).filter { isProgram("\(folder)/\($0)") }
    guard let program = programs.first(where: { $0 == name }) ?? programs.first,
      programs.count == 1 || program == name
    else {
      let found = programs.isEmpty ? "none" : programs.joined(separator: ", ")
      throw Diagnostic(
        "expected a program called '\(name)', found \(found)", context: [folder],
        hint: "give the file of the program")
    }
    return "\(folder)/\(program)"
  }

  private static func isProgram(_ path: String) -> Bool {
    guard let bytes = try? FileBytes(regularFileAt: path),
      let file = try? ObjectFile(parsing: bytes)
    else { return false }
    switch file {
    case .machO(let image): return image.header.type == .executable
    case .fat(let fat):
      return fat.slices.contains { slice in
        (try? MachOFile(parsing: bytes, at: slice.range))?.header.type == .executable
      }
    case .elf, .archive: return false
    }
  }
}
