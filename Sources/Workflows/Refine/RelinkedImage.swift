import ImageModel
import LaunchMeasurement
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An image that a command links again and again, each time in another order.
///
/// The image of the best order is kept beside the one that is tried, and put back in the end.
final class RelinkedImage {
  let path: String
  private let command: String
  private let folder: TemporaryFolder
  private let kept: String

  /// - Parameters:
  ///   - command: for `sh -c`; it reads the order file that `ORDERFILE_ORDER` names.
  /// - Throws: if there is no file at `path`, and if a run that was killed has left one aside: which of the two is
  ///   the user's is not known.
  init(path: String, command: String, in folder: TemporaryFolder) throws(Diagnostic) {
    self.path = try Folder.absolutePath(path)
    self.command = command
    self.folder = folder
    kept = self.path + ".orderfile-kept"
    guard access(kept, F_OK) != 0 else {
      throw Diagnostic(
        "unable to refine: an earlier run was killed and left its best image", context: [kept],
        hint: "move it back to \(path), or remove it")
    }
  }

  /// Links the image with the order file `bytes`. What was there is removed first: build systems don't link
  /// again when only the order has changed.
  ///
  /// - Throws: with the last lines that the command printed, if it fails or leaves no image.
  func link(_ bytes: [UInt8]) throws(Diagnostic) {
    let order = folder.path("image.order")
    try OutputFile(order).finish(bytes)
    guard access(kept, F_OK) == 0 ? unlink(path) == 0 || errno == ENOENT : rename(path, kept) == 0
    else {
      throw Diagnostic(
        "unable to rename it: \(String(cString: strerror(errno)))", context: [path])
    }
    let log = folder.path("relink.log")
    let launch = ProgramLaunch(
      command: ["/bin/sh", "-c", command], environment: [(name: "ORDERFILE_ORDER", value: order)],
      leadsGroup: true)
    let end: ProgramLaunch.End
    do {
      end = try StandardStreams.redirected(to: log) { try launch.run().end }
    } catch let error as Diagnostic { throw error } catch {
      throw Diagnostic("unable to run: \(error)", context: ["--relink"])
    }
    guard end == .exited(0) else {
      throw Diagnostic(
        "the command failed: \(end)\(StandardStreams.lastLines(of: log))", context: ["--relink"])
    }
    guard access(path, F_OK) == 0 else {
      throw Diagnostic(
        "the command created no image: expected \(path)\(StandardStreams.lastLines(of: log))",
        context: ["--relink"])
    }
  }

  /// What is there now is the best so far.
  func keep() { unlink(kept) }

  /// Puts the best back, if another one was tried since.
  func restore() { if access(kept, F_OK) == 0 { rename(kept, path) } }
}
