import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch

/// An image that a command relinks repeatedly, each time in another order or with other options.
///
/// The best image so far is kept beside its file while others are tried, and restored at the end.
package final class RelinkedImage {
  package let path: String
  private let command: String
  private let option: String
  private let folder: TemporaryFolder
  private let kept: String
  /// The profile of the last link.
  private var profile: [UInt8]?

  /// - Parameters:
  ///   - command: the command for `sh -c`. It reads the variables that each link gives it.
  ///   - option: the option that gave the command, for messages.
  /// - Throws: if there is no file at `path`, or if a killed run has left its best image: it is not known which of the
  ///   two images the user wants.
  package init(
    path: String, command: String, option: String = "--relink", in folder: TemporaryFolder
  ) throws(Diagnostic) {
    self.path = try Folder.absolutePath(path)
    self.command = command
    self.option = option
    self.folder = folder
    kept = self.path + ".orderfile-kept"
    guard access(kept, F_OK) != 0 else {
      throw Diagnostic(
        "unable to relink: an earlier run was killed, and left its best image in this file",
        context: [kept],
        hint: "move this file to \(path), or remove it")
    }
  }

  /// Links the image with the order file `bytes`, whose path is in `ORDERFILE_ORDER`.
  ///
  /// - Parameter profile: the profile by which functions are split. Its file is written only if it differs from the
  ///   profile of the last link, so that build systems see whether they have to compile.
  /// - Throws: an error with the last lines of the command's output if the command fails or leaves no image.
  package func link(_ bytes: [UInt8], splitBy profile: [UInt8]? = nil) throws(Diagnostic) {
    var environment = [(name: "ORDERFILE_ORDER", value: folder.path("image.order"))]
    try OutputFile(folder.path("image.order")).finish(bytes)
    if let profile {
      let path = folder.path("image.clusters")
      environment.append((name: "ORDERFILE_SPLIT", value: path))
      if profile != self.profile { try OutputFile(path).finish(profile) }
      self.profile = profile
    }
    try link(with: environment)
  }

  /// Links the image. The old image is removed first, because build systems do not relink if only an order file or an
  /// option has changed.
  ///
  /// - Parameter environment: variables for the command.
  /// - Throws: an error with the last lines of the command's output if the command fails or leaves no image.
  package func link(with environment: [(name: String, value: String)]) throws(Diagnostic) {
    guard access(kept, F_OK) == 0 ? unlink(path) == 0 || errno == ENOENT : rename(path, kept) == 0
    else {
      throw .unable(to: "rename it", path)
    }
    let log = ProgramLog(folder.path("relink.log"))
    var launch = ProgramLaunch(
      command: ["/bin/sh", "-c", command], environment: environment, leadsGroup: true)
    launch.isShell = true
    let end: ProgramLaunch.End
    do {
      end = try log.streams { streams in
        launch.streams = streams
        return try launch.run().end
      }
    } catch let error as Diagnostic { throw error } catch {
      throw Diagnostic("unable to run: \(error)", context: [option])
    }
    guard end == .exited(0) else {
      throw Diagnostic(
        "the command failed: \(end)\(log.lastLines())", context: [option])
    }
    guard access(path, F_OK) == 0 else {
      throw Diagnostic(
        "the command created no image: expected \(path)\(log.lastLines())",
        context: [option])
    }
  }

  /// Keeps the present image as the best so far.
  func keep() { unlink(kept) }

  /// Moves the image with the fewest pages back to `path` if a later image has replaced it.
  package func restore() { if access(kept, F_OK) == 0 { rename(kept, path) } }
}
