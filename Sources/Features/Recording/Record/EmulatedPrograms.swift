// Programs that an emulator runs wherever they are started, such as by the shell of a launch.
//
// The emulation of a program ends when the program calls exec, and emulating a shell would take long. So a script
// replaces each program during a launch. The script calls the emulator with the program, which has another name in the
// same folder during the launch, because it may look for its libraries in its own folder. Several emulators may run at
// the same time; each leaves its traces in its own folder.

import CommandSupport
import ImageModel
import LibC
import ProcessLaunch

package struct EmulatedPrograms {
  private let programs: [(path: String, emulator: Emulator)]
  /// The paths of the images to record.
  let images: [String]
  private static let suffix = ".emulated"

  /// - Parameters:
  ///   - programs: the absolute paths of the programs, without symbolic links.
  ///   - images: the absolute paths of the images to record.
  /// - Throws: if a program has no emulator on this machine.
  package init(
    _ programs: [String], images: [String], in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    self.images = images
    self.programs = try programs.map { path throws(Diagnostic) in
      let options = LaunchRecording.Emulation(root: Emulator.usualRoot(of: path, in: environment))
      return (path, try Emulator(of: path, options, in: environment))
    }
  }

  /// The description of the emulator, for messages.
  var description: String? { programs.first?.emulator.description }

  /// The paths of the programs, by the paths under which they run.
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
        throw Diagnostic.unable(to: "rename", path)
      }
      replaced.append(path)
      try OutputFile(path).finish(Array(script.utf8))
      chmod(path, 0o755)
    }
    return try body()
  }
}
