import CommandSupport
import ImageModel

/// A commit and its time, as git prints them.
package struct GitCommit: Hashable, Sendable {
  /// The full hash; the user's name for the commit, if the user also gave the time.
  let name: String
  let time: HistoryTime

  private init(name: String, time: HistoryTime) {
    self.name = name
    self.time = time
  }

  /// Uses the given name and time, and asks git in the repository of the current folder for the missing one.
  ///
  /// - Parameters:
  ///   - name: a revision of git or, with a time, any name; `nil` for the commit that is checked out.
  ///   - time: the time of the commit; `nil` for the time that git has.
  package init(
    _ name: String?, at time: HistoryTime?, in environment: LaunchEnvironment
  ) throws {
    if let name, let time {
      self.init(name: name, time: time)
      return
    }
    let found = try GitCommit(name ?? "HEAD", in: environment)
    self.init(name: found.name, time: time ?? found.time)
  }

  /// Asks git about a commit in the repository of the current folder.
  ///
  /// - Parameter revision: a revision of git: a hash, a branch, `HEAD`.
  private init(_ revision: String, in environment: LaunchEnvironment) throws {
    let command = [
      "git", "show", "--no-patch", "--no-show-signature", "--format=%H %ct", "--end-of-options",
      "\(revision)^{commit}",
    ]
    let text: String
    do {
      text = String(
        decoding: try CapturedCommand(environment).output(of: command), as: UTF8.self)
    } catch let error as Diagnostic {
      throw Diagnostic(
        error.message, context: error.context, hint: "give both '--commit' and '--time'")
    }
    let words = text.split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let time = HistoryTime(String(words[1])) else {
      throw Diagnostic(
        "unable to tell the commit: expected its hash and time, found '\(text.prefix(80))'",
        context: ["git show"], hint: "give both '--commit' and '--time'")
    }
    self.init(name: String(words[0]), time: time)
  }
}
