/// The keys that are typed into the terminal of a launched program, and the events that have to come before:
/// `--script`.
package struct TerminalScript: Hashable, Sendable {
  /// The path of the script, for messages.
  package var path: String
  /// The size of the terminal when the program starts.
  package var size: Size
  package var steps: [Step]

  package init(path: String, size: Size = .usual, steps: [Step]) {
    self.path = path
    self.size = size
    self.steps = steps
  }

  package struct Size: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }

    package static let usual = Size(columns: 80, rows: 24)
  }

  package struct Step: Hashable, Sendable {
    /// The line of the step in the script, from 1.
    package var line: Int
    package var action: Action

    package init(line: Int, _ action: Action) {
      self.line = line
      self.action = action
    }
  }

  package enum Action: Hashable, Sendable {
    case wait(Event, seconds: Double)
    case type([Key])
    case resize(Size)
    /// The step ends the launch, because the program is ready.
    case ready
  }

  package enum Event: Hashable, Sendable {
    /// The step waits until the text is in a row of the screen, and a part of the text was drawn after the last key.
    case text(String)
    /// The step waits until all threads of the launch sleep, and nothing is drawn.
    case quiet
    /// The step waits until the program has ended.
    case end
  }

  package enum Key: Hashable, Sendable {
    case bytes([UInt8])
    /// A key that sends ESC [ and this letter, or ESC O and the letter if the program asks for ESC O.
    case cursor(UInt8)
  }

  /// The time limit of a `wait` that states none, in seconds.
  package static let usualLimit = 30.0

  /// The value of the variable `TERM`.
  package static let terminalName = "xterm-256color"

  /// Whether the script says when the program is ready.
  package var hasReady: Bool { steps.contains { $0.action == .ready } }
}

/// The reason why a script could not go on, so that the launch was ended.
package struct ScriptFailure: Hashable, Sendable {
  package var path: String
  /// The line of the step that failed, from 1; `nil` for the end of the script.
  package var line: Int?
  package var action: TerminalScript.Action
  package var reason: Reason
  /// The rows of the screen, without blank rows at the end.
  package var screen: [String]

  package enum Reason: Hashable, Sendable {
    /// The event that a step expects did not come in time.
    case tooLate
    case programEnded
    /// No process has the terminal open any more.
    case terminalClosed
  }
}

extension TerminalScript.Event: CustomStringConvertible {
  /// The failure in the words of a message: "expected 'sqlite>' on the screen".
  package var description: String {
    switch self {
    case .text(let text): "'\(text)' on the screen"
    case .quiet: "a program that waits"
    case .end: "the end of the program"
    }
  }
}
