// An app is a folder, NAME.app. On iOS the program is in this folder, on macOS in Contents/MacOS; it has the name of
// the app, or it is the only program there. Libraries are in Frameworks, as NAME.framework or NAME.dylib.

import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat

struct AppBundle {
  /// The path of the program.
  let program: String
  /// The libraries and the programs of frameworks, ascending.
  let libraries: [String]

  /// - Throws: if the folder is no app, if there is no program, or if there are several programs and none of them has
  ///   the app's name.
  init(at path: String) throws(Diagnostic) {
    var folder = path[...]
    while folder.count > 1, folder.hasSuffix("/") { folder = folder.dropLast() }
    let name = folder.split(separator: "/").last.map(String.init) ?? String(folder)
    guard name.hasSuffix(".app") else {
      let found = Folder.names(in: path).isEmpty ? "an empty folder" : "a folder"
      throw Diagnostic(
        "unable to read: expected an image or an app (NAME.app), found \(found)", context: [path],
        hint: "give the file of the program")
    }
    let stem = name.split(separator: ".").dropLast().joined(separator: ".")
    let contents = Folder.names(in: "\(folder)/Contents").isEmpty ? "" : "/Contents"
    let place = contents.isEmpty ? String(folder) : "\(folder)/Contents/MacOS"
    let programs = Folder.names(in: place).filter { Self.isProgram("\(place)/\($0)") }
    guard let program = programs.first(where: { $0 == stem }) ?? programs.first,
      programs.count == 1 || program == stem
    else {
      let found = programs.isEmpty ? "none" : programs.joined(separator: ", ")
      throw Diagnostic(
        "expected a program called '\(stem)', found \(found)", context: [place],
        hint: "give the file of the program")
    }
    self.program = "\(place)/\(program)"
    let frameworks = "\(folder)\(contents)/Frameworks"
    libraries = Folder.names(in: frameworks).compactMap { name in
      if name.hasSuffix(".dylib") { return "\(frameworks)/\(name)" }
      guard name.hasSuffix(".framework") else { return nil }
      return "\(frameworks)/\(name)/\(name.dropLast(".framework".count))"
    }
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
