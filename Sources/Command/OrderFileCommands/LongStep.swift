import ProcessLaunch
import Rendering

/// Decides what is shown of a long step, and when. A terminal shows a line that is redrawn; other outputs get a note
/// each minute.
package struct LongStep {
  package enum Shown: Hashable {
    /// Replaces the last line of the terminal.
    case line(String)
    case note(String)
  }

  private let title: String
  private let isTerminal: Bool
  private let begin: UInt64
  private let interval: UInt64
  private var next: UInt64

  /// - Parameters:
  ///   - title: the title of the step.
  ///   - drawInterval: the time between two drawings, in nanoseconds.
  ///   - now: the time at which the step begins, in nanoseconds.
  package init(_ title: String, isTerminal: Bool, drawInterval: UInt64, at now: UInt64) {
    self.title = title
    self.isTerminal = isTerminal
    begin = now
    interval = isTerminal ? drawInterval : 60_000_000_000
    next = isTerminal ? now : now + interval
  }

  /// - Parameters:
  ///   - now: the time, in nanoseconds.
  ///   - width: the number of columns of the terminal.
  ///   - state: how far the step is; empty if that is unknown.
  /// - Returns: the line or note to show now; `nil` if nothing is to be shown.
  package mutating func shown(
    at now: UInt64, width: Int, _ state: @autoclosure () -> String
  ) -> Shown? {
    guard now >= next else { return nil }
    next = now + interval
    let state = printable(state())
    guard isTerminal else {
      return .note(
        "\(printable(title)): \(elapsed(at: now)) so far" + (state.isEmpty ? "" : ": \(state)"))
    }
    // The state gets at least half of the line.
    let time = ", \(elapsed(at: now))"
    let title = Self.cut(printable(title), to: max(10, width / 2 - time.count))
    // A character in the last column would start a new line.
    return .line(Self.cut(title + time + (state.isEmpty ? "" : ": \(state)"), to: width - 1))
  }

  /// Returns the beginning of `text` that fits into `width` columns.
  private static func cut(_ text: String, to width: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += columns(of: String(character))
        return used <= width
      })
  }

  private func elapsed(at now: UInt64) -> String {
    let seconds = (now - begin) / 1_000_000_000
    if seconds < 60 { return "\(seconds) s" }
    return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
  }
}
