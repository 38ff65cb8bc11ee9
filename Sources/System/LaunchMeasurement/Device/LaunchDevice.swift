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
package final class LaunchDevice {
  package let settings: DeviceSettings
  /// The device as the C functions know it; `nil` once the copies are unmounted.
  private var handle: OpaquePointer?
  private var isCounting = false

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
  /// - Throws: if a file can't be copied, if a file gives its program rights, or if this process may not mount file
  ///   systems.
  package init(_ settings: DeviceSettings, files: [String]) throws(Diagnostic) {
    let settings = try settings.reading(ImageStorage(of: files.first ?? "/"))
    self.settings = settings
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
    var made: OpaquePointer?
    var failure = cdevice_failure()
    let result = withCStrings(files) {
      cdevice_serve(
        $0, Int32(files.count), settings.readAheadBytes,
        settings.requestBytes ?? DeviceSettings.largestRequest, &made, &failure)
    }
    guard result == 0, let made else {
      throw Self.diagnostic(settings, failure, result, files)
    }
    handle = made
  }

  deinit { remove() }

  /// Unmounts the copies: this process and its children see the files again.
  package func remove() {
    if let handle { cdevice_remove(handle) }
    handle = nil
  }

  private static func option(_ settings: DeviceSettings) -> String { "--device \(settings.name)" }

  private static let rightsHint =
    "containers and kernel.unprivileged_userns_clone=0 refuse the mounts: "
    + "run orderfile outside of the container, or as root"

  private static func diagnostic(
    _ settings: DeviceSettings, _ failure: cdevice_failure, _ error: Int32, _ files: [String]
  ) -> Diagnostic {
    let step = failure.step.map { String(cString: $0) } ?? "make a device"
    let file = files.indices.contains(Int(failure.file)) ? [files[Int(failure.file)]] : []
    let hint: String? =
      switch (step, error) {
      case ("open /dev/fuse", ENOENT), ("open /dev/fuse", ENXIO), ("open /dev/fuse", ENODEV),
        ("mount a copy of the file", ENODEV):
        "the kernel needs its module fuse: modprobe fuse"
      case ("open /dev/fuse", EACCES): "run orderfile as root, or let your user open /dev/fuse"
      case ("open /dev/fuse", _), ("mount a copy of the file", EPERM): rightsHint
      case ("copy the file", ENOMEM):
        "the copies are in memory: free some memory, or name fewer files"
      case ("set the read-ahead", EACCES), ("set the read-ahead", EPERM),
        ("set the read-ahead", EROFS):
        "only root can set a read-ahead of more than 128 KiB"
      default: nil
      }
    return Diagnostic(
      "unable to \(step): \(errorText(error))", context: [option(settings)] + file, hint: hint)
  }

  /// Begins counting: from now on the device takes its time for each request, and counts requests.
  package func begin() {
    guard let handle else { return }
    cdevice_begin(handle, settings.delayNanoseconds)
    isCounting = true
  }

  /// Stops counting. Requests that a launch left waiting count, too.
  ///
  /// - Returns: the reads since `begin`; `nil` if counting has not begun.
  /// - Throws: if a file is no longer on the device.
  package func end() throws(Diagnostic) -> Reads? {
    guard let handle, isCounting else { return nil }
    isCounting = false
    var counts = cdevice_counts()
    let error = cdevice_end(handle, &counts)
    guard error == 0 else {
      throw Diagnostic(
        "the device disappeared during a launch: \(errorText(error))",
        context: [Self.option(settings)],
        hint: "measure again, and let nothing unmount the copies "
          + "or abort connections in /sys/fs/fuse/connections")
    }
    return Reads(requests: counts.requests, bytes: counts.bytes)
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
