import CDevice
import ImageModel
import LibC
import ProcessLaunch

/// A file without a name that holds an empty ext4 file system, for a loop device. The kernel removes the file when its
/// last user has closed it.
final class LoopImage {
  let descriptor: Int32

  /// The folders of `mkfs.ext4`, which are often missing from `PATH`.
  private static let folders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]

  /// Makes a file that has room for copies of files.
  ///
  /// - Parameters:
  ///   - files: the paths of the files.
  ///   - folder: the path of the folder whose disk holds the file.
  init(for files: [String], in folder: String) throws(DeviceFailure) {
    let programs: [String] = Self.folders.map { "\($0)/mkfs.ext4" }
    guard let program = programs.first(where: { (path: String) in access(path, X_OK) == 0 }) else {
      throw DeviceFailure(step: "find mkfs.ext4", reason: "install e2fsprogs")
    }
    descriptor = cdevice_loop_file(folder)
    guard descriptor >= 0 else {
      throw DeviceFailure(step: "make a file in \(folder)", reason: errorText())
    }
    let bytes = files.reduce(0 as off_t) { sum, path in
      var status = stat()
      return sum + (stat(path, &status) == 0 ? status.st_size : 0)
    }
    // An eighth more is far more than the tables of the file system need.
    guard ftruncate(descriptor, bytes + bytes / 8 + 16 << 20) == 0 else {
      throw DeviceFailure(step: "make a file in \(folder)", reason: errorText())
    }
    let nothing = SystemFile.openNull()
    defer { if nothing >= 0 { close(nothing) } }
    var format = ProgramLaunch(command: [
      program, "-q", "-F", "-b", "4096", "-m", "0", "-O", "^has_journal",
      "/proc/\(getpid())/fd/\(descriptor)",
    ])
    if nothing >= 0 {
      format.streams = ProgramLaunch.Streams(input: nothing, output: nothing, errors: nothing)
    }
    let end: ProgramLaunch.End
    do { end = try format.run().end } catch {
      throw DeviceFailure(step: "run \(program)", reason: "\(error)")
    }
    guard end == .exited(0) else {
      throw DeviceFailure(step: "run \(program)", reason: "\(end)")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

/// Why a device can't be made.
struct DeviceFailure: Error {
  /// The step that failed, as a verb with its object.
  var step: String
  var reason: String
  /// The path of the file in question.
  var file: String?
  /// The errno of the step, if the step is a call of the system.
  var error: Int32 = 0
}
