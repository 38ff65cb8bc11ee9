import PagesFormat

/// The next steps as text for people.
package struct NextStepsText {
  private let steps: [NextStep]

  package init(_ steps: [NextStep]) { self.steps = steps }

  /// Ends with a line feed; empty without steps.
  package var text: String {
    guard let first = steps.first else { return "" }
    if first.kind == .nothing { return "next: nothing: \(printable(first.reason))\n" }
    var text = "next:\n"
    for (number, step) in steps.enumerated() {
      text += "  \(number + 1). \(printable(step.sentence))\n"
      for command in step.commands { text += "       \(printable(command))\n" }
      for need in step.needs { text += "       (\(printable(need)))\n" }
    }
    return text
  }

  /// The next steps as Markdown, which ends with a line feed; empty without steps.
  ///
  /// - Parameter escaped: returns text without characters that Markdown interprets.
  package func markdown(_ escaped: (String) -> String) -> String {
    guard let first = steps.first else { return "" }
    if first.kind == .nothing { return "Next: nothing: \(escaped(first.reason)).\n" }
    var text = "Next:\n\n"
    for (number, step) in steps.enumerated() {
      let needs = step.needs.map { " (\(escaped($0)))" }.joined()
      text += "\(number + 1). \(escaped(step.sentence))\(step.commands.isEmpty ? "" : ":")"
      text += step.commands.map { " <code>\(escaped($0))</code>" }.joined(separator: ",")
      text += needs + "\n"
    }
    return text
  }
}

extension NextStep {
  /// `order: saves about 3 pages (predicted): 4 startup functions are not in app.order`
  fileprivate var sentence: String {
    let gain = gainPages.map { "saves about \(counted($0, "page")) (predicted): " } ?? ""
    return "\(kind.rawValue): \(gain)\(reason)"
  }
}
