import ProcessLaunch

/// The progress of launches. A terminal shows a line, which is cleared at the end; other outputs get a note each
/// minute.
struct ProgressBar {
  private let messages: Messages
  private let isTerminal: Bool
  private let isWanted: Bool
  private var step: LongStep?
  private var label = ""

  /// - Parameter isDrawn: whether the progress line may be drawn if standard error is a terminal and NO_COLOR is not
  ///   set.
  init(_ messages: Messages, isDrawn: Bool) {
    self.messages = messages
    isTerminal = Console.errorIsColoured
    isWanted = !messages.quiet && (isDrawn || !isTerminal)
  }

  /// Shows how far the launches are. The line is drawn at most ten times per second: a terminal takes time to draw, which
  /// would disturb the launches.
  mutating func show(_ label: String, _ done: Int, of all: Int, _ note: String = "") {
    guard isWanted, all > 0 else { return }
    let now = ClockReading.now().nanoseconds
    var step =
      self.label == label
      ? step : LongStep(label, isTerminal: isTerminal, drawInterval: 100_000_000, at: now)
    let count = "\(done) of \(all)\(note)"
    let filled = 30 * done / all
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 30 - filled)
    let shown = step?.shown(
      at: now, width: Console.errorWidth, isTerminal ? "[\(bar)] \(count)" : count)
    (self.step, self.label) = (step, label)
    switch shown {
    case .line(let text): Console.printProgress("\r\u{1b}[K\(text)")
    case .note(let text): messages.print(note: text)
    case nil: break
    }
  }

  func clear() {
    if isWanted, isTerminal, step != nil { Console.printProgress("\r\u{1b}[K") }
  }
}
