import ArgumentParser
import Budget
import ImageModel
import Rendering

/// The options that say to which commit and launch the figures of a history belong.
struct AdditionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The commit that was built, as a revision that git knows. With --time, any name is permitted. (default: HEAD)",
      valueName: "name"))
  var commit: String?
  @Option(
    help: ArgumentHelp(
      "The time of the commit, as 'git show --format=%cI' prints it, or in seconds since 1970. (default: the time that git has for the commit)",
      valueName: "time"),
    transform: expecting("a time such as 2026-11-23T16:40:00Z, or seconds since 1970"))
  var time: HistoryTime?
  @Option(
    help: ArgumentHelp(
      "The name of the launch. It distinguishes several launches of one image in the history.",
      valueName: "name"))
  var launchName: String?

  /// The first of these options that is given; `nil` if none is given.
  var firstGiven: String? {
    let given = [
      ("--commit", commit != nil), ("--time", time != nil), ("--launch-name", launchName != nil),
    ]
    return given.first { $0.1 }?.0
  }

  func check() throws {
    if let commit, !HistoryEntry.isCommit(commit) {
      throw ValidationError("invalid --commit: expected a name without blanks, found '\(commit)'")
    }
    if launchName == "" {
      throw ValidationError("invalid --launch-name: expected a name, found ''")
    }
  }

  /// Returns the commit of the figures.
  ///
  /// - Throws: an error if git is needed and fails.
  func gitCommit() throws -> GitCommit { try GitCommit(commit, at: time, in: .own) }
}

extension HistoryTime: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

extension Messages {
  /// Prints a note about each line that was appended to a history, or that no line was appended.
  func print(_ entries: [HistoryEntry], addedTo history: String, _ commit: String) {
    if entries.isEmpty {
      print(
        note:
          "\(printable(history)): this history already has these figures of \(printable(commit)), and keeps them"
      )
    }
    for entry in entries {
      print(
        note: "\(printable(history)): added \(counted(entry.metrics.count, "figure")) of "
          + "\(printable(entry.series.wording)) at \(printable(entry.commit))")
    }
  }
}
