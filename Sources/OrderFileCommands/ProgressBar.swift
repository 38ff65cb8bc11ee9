import ProcessLaunch
import Reporting

/// A line on the terminal that tells how far the work is, and goes away with it.
struct ProgressBar {
  private let isShown: Bool
  private var lastDrawn: UInt64 = 0

  /// - Parameter isWanted: whether it is shown if standard error is a terminal, and NO_COLOR is not set.
  init(isWanted: Bool) { isShown = isWanted && Console.errorIsColoured }

  /// Draws it, ten times a second at most: a terminal takes time to draw, which launches would
  /// notice.
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
