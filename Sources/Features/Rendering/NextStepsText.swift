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
      text += "  \(number + 1). \(step.kind.rawValue): "
      if let gain = step.gainPages { text += "saves about \(counted(gain, "page")) (predicted): " }
      text += printable(step.reason) + "\n"
      for command in step.commands { text += "       \(printable(command))\n" }
      for need in step.needs { text += "       (\(printable(need)))\n" }
    }
    return text
  }
}
