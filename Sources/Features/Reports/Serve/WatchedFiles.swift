import ProcessLaunch

/// The files from which a page is made, and whether they have changed.
package struct WatchedFiles {
  /// How long files have to stay as they are before the page is made again.
  static let interval = Duration.milliseconds(500)

  private let paths: [String]
  private var known: [FileStamp?]
  private var pending: [FileStamp?]?

  package init(_ paths: [String]) {
    self.paths = paths
    known = paths.map { FileStamp(path: $0) }
  }

  /// Returns whether files have changed since this function last returned `true`, and none has changed since the last
  /// call. While a linker or another command is writing a file, the file changes from call to call.
  package mutating func haveChanged() -> Bool {
    let now = paths.map { FileStamp(path: $0) }
    guard now != known else {
      pending = nil
      return false
    }
    guard now == pending else {
      pending = now
      return false
    }
    (known, pending) = (now, nil)
    return true
  }
}
