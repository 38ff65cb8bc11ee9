import ProcessLaunch
import Reporting

/// A progress line on the terminal, which is cleared at the end.
struct ProgressBar {
  private let isShown: Bool
  private var lastDrawn: UInt64 = 0

  /// - Parameter isWanted: whether to show it if standard error is a terminal and NO_COLOR is not set.
  init(isWanted: Bool) { isShown = isWanted && Console.errorIsColoured }

  /// Draws the line, at most ten times per second: a terminal takes time to draw, which would disturb
  /// the launches.
  mutating func show(_ label: String, _ done: Int, of all: Int, _ note: String = "") {
    let now = ClockReading.now().nanoseconds
    guard isShown, all > 0, now >= lastDrawn + 100_000_000 else { return }
    lastDrawn = now
    let filled = 30 * done / all
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 30 - filled)
    Console.printProgress("\r\u{1b}[K\(label) [\(bar)] \(done) of \(all)\(note)")
  }

  func clear() {
    if isShown, lastDrawn > 0 { Console.printProgress("\r\u{1b}[K") }
  }
}
