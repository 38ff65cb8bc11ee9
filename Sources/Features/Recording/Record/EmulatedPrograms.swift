// Programs that an emulator runs wherever they are started, as by the shell of a launch.
//
// The emulator of one program ends with that program's exec, and a shell that it ran would take long. So each program
// is replaced by a script for as long as a launch takes: the script calls the emulator with the program, which has
// another name in the same folder meanwhile, because it may look for its libraries beside itself. Several may run at the
// same time; each leaves its traces in a folder of its own.

import CommandSupport
import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

package struct EmulatedPrograms {
  private let programs: [(path: String, emulator: Emulator)]
  /// The paths of the images to record.
  let images: [String]
  private static let suffix = ".emulated"

  /// - Parameters:
  ///   - programs: their absolute paths, without symbolic links.
  ///   - images: the absolute paths of what to record.
  /// - Throws: if one has no emulator here.
  package init(
    _ programs: [String], images: [String], in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    self.images = images
    self.programs = try programs.map { path throws(Diagnostic) in
      let options = LaunchRecording.Emulation(root: Emulator.usualRoot(of: path, in: environment))
      return (path, try Emulator(of: path, options, in: environment))
    }
  }

  /// For messages.
  var description: String? { programs.first?.emulator.description }

  /// The paths of the programs by those under which they run.
  var renamed: [String: String] {
    Dictionary(uniqueKeysWithValues: programs.map { ($0.path + Self.suffix, $0.path) })
  }

  /// Calls `body` while the programs are replaced. Their traces are in folders of `folder` afterwards.
  func whileReplaced<R>(tracesIn folder: RecordingFolder, _ body: () throws -> R) throws -> R {
    var replaced: [String] = []
    defer { for path in replaced { rename(path + Self.suffix, path) } }
    for (path, emulator) in programs {
      let script = emulator.script(
        runningFileAt: path + Self.suffix, tracesIn: folder.path)
      guard rename(path, path + Self.suffix) == 0 else {
        throw Diagnostic("unable to rename: \(String(cString: strerror(errno)))", context: [path])
      }
      replaced.append(path)
      try OutputFile(path).finish(Array(script.utf8))
      chmod(path, 0o755)
    }
    return try body()
  }
}
