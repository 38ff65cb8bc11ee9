// Records the launch of an app from a UI test. Copy this file into the target of your UI tests.

import Foundation
import XCTest

extension XCTestCase {
  /// Launches `app`, waits until the app sets `mark`, and attaches the trace `NAME.oftrace` to the test.
  ///
  /// The app is an instrumented build, and calls `orderfile_mark` or `OrderFile.mark` at the end of its launch. In a
  /// simulator and on a Mac, the trace is in a temporary folder of the test, and the recording ends at the mark. On a device
  /// no test can read the files of an app. There the trace is in the app's `Documents`, the method returns when the app is
  /// launched, and the attachment has the command that fetches the trace.
  ///
  /// - Parameters:
  ///   - app: other launch arguments and variables are kept.
  ///   - name: the name of the trace: a test that records several launches gives each a name.
  ///   - timeout: the number of seconds within which the app must set the mark.
  /// - Throws: if the app writes no trace, or does not set the mark in time.
  @MainActor
  func recordLaunch(
    of app: XCUIApplication, until mark: String, named name: String = "app",
    timeout: TimeInterval = 60
  ) throws {
    let file = LaunchTrace(name: name)
    try file.remove()
    app.launchEnvironment["ORDERFILE_TRACE"] = file.variable
    app.launchEnvironment["ORDERFILE_STOP_AT"] = mark
    app.launch()
    guard LaunchTrace.isReadable else {
      let command = XCTAttachment(string: file.command)
      command.name = "fetch-\(name).txt"
      command.lifetime = .keepAlways
      add(command)
      return
    }
    let end = Date(timeIntervalSinceNow: timeout)
    while !file.isStopped {
      guard Date() < end else { throw file.problem(mark) }
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
    }
    let trace = XCTAttachment(contentsOfFile: file.place)
    trace.name = "\(name).oftrace"
    trace.lifetime = .keepAlways
    add(trace)
  }
}

/// The trace of one launch.
private struct LaunchTrace {
  let name: String

  /// Whether this process can read what the app writes.
  static var isReadable: Bool {
    #if targetEnvironment(simulator) || os(macOS) || os(Linux)
      true
    #else
      false
    #endif
  }

  var place: URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("\(name).oftrace")
  }

  /// The value of `ORDERFILE_TRACE`, in which a percent sign begins a placeholder. A relative path is relative to the app's
  /// `Documents`.
  var variable: String {
    Self.isReadable ? place.path.replacingOccurrences(of: "%", with: "%%") : "\(name).oftrace"
  }

  var command: String {
    """
    xcrun devicectl device copy from --device DEVICE --domain-type appDataContainer \\
      --domain-identifier BUNDLE_IDENTIFIER --source Documents/\(name).oftrace --destination \(name).oftrace
    """
  }

  /// Removes the trace of an earlier launch.
  func remove() throws {
    guard Self.isReadable, FileManager.default.fileExists(atPath: place.path) else { return }
    try FileManager.default.removeItem(at: place)
  }

  /// Whether the recording has ended at the mark. The header of a trace has a state of 4 bytes, little-endian, at byte 28.
  var isStopped: Bool {
    guard let file = try? FileHandle(forReadingFrom: place) else { return false }
    defer { try? file.close() }
    guard let header = try? file.read(upToCount: 32), header.count == 32 else { return false }
    let stoppedByMark: UInt8 = 2
    return header[28] == stoppedByMark
  }

  func problem(_ mark: String) -> Problem {
    FileManager.default.fileExists(atPath: place.path)
      ? Problem(description: "the app did not set the mark '\(mark)' in time: \(place.path)")
      : Problem(
        description: "the app wrote no trace: expected an instrumented build (\(place.path))")
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}
