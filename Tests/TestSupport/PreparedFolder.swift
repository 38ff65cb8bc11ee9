import Foundation
import Synchronization

/// A folder of one test.
package protocol TestFolder: AnyObject, Sendable {
  var folder: URL { get }
  init() throws
}

extension Workshop: TestFolder {}

/// A folder with which several tests begin, for example a folder with the program that they all launch.
///
/// It is a constant: it is made when the first test needs it, copied for each test, and removed when the process ends.
package struct PreparedFolder<Folder: TestFolder>: Sendable {
  private let original: Result<Folder, any Error>

  package init(_ prepare: (Folder) throws -> Void) {
    original = Result {
      let folder = try Folder()
      removeAtExit(folder.folder)
      try prepare(folder)
      return folder
    }
  }

  /// Returns a copy of the folder with all files, which keep their modes and times.
  package func copy() throws -> Folder {
    let copy = try Folder()
    // Another process writes the copy: see `Workshop.writeProgram`.
    let run = try RunningProcess(
      "/bin/cp", ["-a", "\(original.get().folder.path)/.", copy.folder.path]
    ).end()
    guard run.status == 0 else { throw Tool.Failure(description: "cp: \(run.errors)") }
    return copy
  }
}

/// Removes the folder at exit, because the `deinit` of a constant never runs.
private func removeAtExit(_ folder: URL) {
  let isFirst = madeForAll.withLock {
    $0.append(folder)
    return $0.count == 1
  }
  guard isFirst else { return }
  atexit {
    for folder in madeForAll.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }
}

private let madeForAll = Mutex<[URL]>([])
