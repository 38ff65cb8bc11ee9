// Launches from a device in memory
//
// A cold launch takes as long as its device needs for the requests of the launch. The disk of a build machine often
// reads so far ahead, or so fast, that no difference between two layouts shows. So the launched files are copied into
// memory, and this process serves the copies as a file system. This process takes a stated time for each request, and
// counts the requests.
//
// The copies are mounted at the paths of the files, in mounts that only this process and its children see. So the
// program has the same path, finds the same files beside itself, and nothing has to be cleaned up if this process is
// killed: the kernel unmounts the copies with the last process that sees them.

import CDevice
import ImageModel
import LibC
import ProcessLaunch

/// Copies of files on a device with a given read-ahead and a given time for each request, at the files' own paths.
///
/// Without `/dev/fuse`, the copies are on a loop device: requests are counted, but take the time that the machine's
/// disk needs.
package final class LaunchDevice {
  /// The settings of the device that was made: its kind may differ from the kind that was asked for.
  package let settings: DeviceSettings
  /// The device; `nil` once the copies are unmounted.
  private var backing: Backing?
  private var isCounting = false

  private enum Backing {
    case served(OpaquePointer)
    case loop(OpaquePointer)
  }

  /// The requests of a launch to the device, and the bytes that the requests read.
  package struct Reads: Hashable, Sendable {
    package var requests: UInt64
    package var bytes: UInt64

    package init(requests: UInt64, bytes: UInt64) {
      self.requests = requests
      self.bytes = bytes
    }
  }

  /// Copies files to a new device. From now on this process and its children see the copies, and no longer the files.
  ///
  /// - Parameters:
  ///   - files: absolute paths without symbolic links; a path that is given again is ignored.
  ///   - needsTimes: whether requests have to take the stated time. Then no loop device is made.
  /// - Throws: if a file can't be copied, if a file gives its program rights, or if no kind of device can be made.
  package init(
    _ settings: DeviceSettings, files: [String], needsTimes: Bool = false
  ) throws(Diagnostic) {
    let settings = try settings.reading(ImageStorage(of: files.first ?? "/"))
    let files = files.indices.filter { !files[..<$0].contains(files[$0]) }.map { files[$0] }
    for file in files {
      guard FileRights(ofFileAt: file)?.gained == nil else {
        throw Diagnostic(
          "a program that gains rights from its file can't be launched with --device",
          context: [file], hint: "measure a copy without these rights, or leave out --device")
      }
    }
    let error = cdevice_own_mounts()
    guard error == 0 else {
      throw Diagnostic(
        "unable to make private mounts: \(errorText(error))", context: [Self.option(settings)],
        hint: error == ENOTSUP ? "--device works on Linux only" : Self.rightsHint)
    }
    let first: DeviceFailure
    do throws(DeviceFailure) {
      backing = .served(try Self.serve(files, settings))
      self.settings = settings
      return
    } catch { first = error }
    guard first.isAboutFUSE else { throw Self.diagnostic(settings, first) }
    guard !needsTimes else {
      var diagnostic = Self.diagnostic(settings, first)
      diagnostic.message += "; a loop device would count requests, but has no stated time for them"
      throw diagnostic
    }
    do throws(DeviceFailure) {
      backing = .loop(try Self.makeLoop(files, settings))
      self.settings = settings.onLoopDevice
    } catch {
      throw Diagnostic(
        "unable to make a device of either kind: a file system of this process: unable to \(first.text); "
          + "a loop device: unable to \(error.text)",
        context: [Self.option(settings)], hint: first.hint ?? Self.rightsHint)
    }
  }

  /// Serves copies of the files from a thread of this process.
  private static func serve(
    _ files: [String], _ settings: DeviceSettings
  ) throws(DeviceFailure) -> OpaquePointer {
    var made: OpaquePointer?
    var failure = cdevice_failure()
    let result = withCStrings(files) {
      cdevice_serve(
        $0, Int32(files.count), settings.readAheadBytes,
        settings.requestBytes ?? DeviceSettings.largestRequest, &made, &failure)
    }
    guard result == 0, let made else { throw DeviceFailure(failure, result, files) }
    return made
  }

  private static func makeLoop(
    _ files: [String], _ settings: DeviceSettings
  ) throws(DeviceFailure) -> OpaquePointer {
    let folder = files.first.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) } ?? ""
    let image = try LoopImage(for: files, in: folder.isEmpty ? "/" : folder)
    var made: OpaquePointer?
    var failure = cdevice_failure()
    let result = withCStrings(files) {
      cdevice_loop_make(
        image.descriptor, $0, Int32(files.count), settings.readAheadBytes,
        settings.requestBytes ?? 0, &made, &failure)
    }
    guard result == 0, let made else { throw DeviceFailure(failure, result, files) }
    return made
  }

  deinit { remove() }

  /// Unmounts the copies: this process and its children see the files again.
  package func remove() {
    switch backing {
    case .served(let handle): cdevice_remove(handle)
    case .loop(let handle): cdevice_loop_remove(handle)
    case nil: break
    }
    backing = nil
  }

  private static func option(_ settings: DeviceSettings) -> String { "--device \(settings.name)" }

  fileprivate static let rightsHint =
    "containers and kernel.unprivileged_userns_clone=0 refuse the mounts: "
    + "run orderfile outside of the container, or as root"

  private static func diagnostic(
    _ settings: DeviceSettings, _ failure: DeviceFailure
  ) -> Diagnostic {
    Diagnostic(
      "unable to \(failure.step): \(failure.reason)",
      context: [option(settings)] + (failure.file.map { [$0] } ?? []), hint: failure.hint)
  }

  /// Begins counting: from now on the device counts requests, and takes its time for each request.
  ///
  /// - Throws: if the device has disappeared.
  package func begin() throws(Diagnostic) {
    switch backing {
    case .served(let handle): cdevice_begin(handle, settings.delayNanoseconds)
    case .loop(let handle): try check(cdevice_loop_begin(handle), "before")
    case nil: return
    }
    isCounting = true
  }

  /// Stops counting. Requests that a launch left waiting count, too.
  ///
  /// - Returns: the reads since `begin`; `nil` if counting has not begun.
  /// - Throws: if a file is no longer on the device.
  package func end() throws(Diagnostic) -> Reads? {
    guard let backing, isCounting else { return nil }
    isCounting = false
    var counts = cdevice_counts()
    switch backing {
    case .served(let handle): try check(cdevice_end(handle, &counts), "during")
    case .loop(let handle): try check(cdevice_loop_end(handle, &counts), "during")
    }
    return Reads(requests: counts.requests, bytes: counts.bytes)
  }

  /// - Parameter error: 0, or the errno of a call on the device.
  private func check(_ error: Int32, _ preposition: String) throws(Diagnostic) {
    guard error != 0 else { return }
    let hint =
      settings.kind == .loop
      ? "measure again, and let nothing unmount the copies"
      : "measure again, and let nothing unmount the copies "
        + "or abort connections in /sys/fs/fuse/connections"
    throw Diagnostic(
      "the device disappeared \(preposition) a launch: \(errorText(error))",
      context: [Self.option(settings)], hint: hint)
  }

  /// Runs a launch, and then ends the counting of a device.
  ///
  /// - Returns: the result of `launch`, and the reads since `begin`; `nil` without a device, or if counting has not
  ///   begun.
  /// - Throws: if the device disappeared, which explains any failure of the launch, or what `launch` throws.
  package static func reads<Result>(
    from device: LaunchDevice?, _ launch: () throws(Diagnostic) -> Result
  ) throws(Diagnostic) -> (Result, Reads?) {
    var failure: Diagnostic?
    var result: Result?
    do { result = try launch() } catch { failure = error }
    let reads = try device?.end()
    guard let result else { throw failure ?? Diagnostic("interrupted") }
    return (result, reads)
  }
}

extension MeasuredLaunch {
  /// Replaces the figures of this launch by those that a `LaunchDevice` has counted.
  mutating func add(_ reads: LaunchDevice.Reads) {
    requests = reads.requests
    readBytes = reads.bytes
  }
}

extension DeviceFailure {
  fileprivate init(_ failure: cdevice_failure, _ error: Int32, _ files: [String]) {
    step = failure.step.map { String(cString: $0) } ?? "make a device"
    reason = errorText(error)
    self.error = error
    let file = Int(failure.file)
    self.file = files.indices.contains(file) ? files[file] : nil
  }

  /// Whether the machine refuses file systems of a process, so that another kind of device may work.
  fileprivate var isAboutFUSE: Bool {
    step == "open /dev/fuse" || step == "mount a copy of the file"
  }

  fileprivate var text: String { "\(step): \(reason)" }

  fileprivate var hint: String? {
    switch (step, error) {
    case ("open /dev/fuse", ENOENT), ("open /dev/fuse", ENXIO), ("open /dev/fuse", ENODEV),
      ("mount a copy of the file", ENODEV):
      "the kernel needs its module fuse: modprobe fuse"
    case ("open /dev/fuse", EACCES): "run orderfile as root, or let your user open /dev/fuse"
    case ("open /dev/fuse", _), ("mount a copy of the file", EPERM): LaunchDevice.rightsHint
    case ("copy the file", ENOMEM):
      "the copies are in memory: free some memory, or name fewer files"
    case ("set the read-ahead", EACCES), ("set the read-ahead", EPERM),
      ("set the read-ahead", EROFS):
      "only root can set a read-ahead of more than 128 KiB"
    default: nil
    }
  }
}
