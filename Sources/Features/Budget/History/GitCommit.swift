import CommandSupport
import ImageModel

/// A commit and its time, as git prints them.
package struct GitCommit: Hashable, Sendable {
  /// The full hash; the user's name for the commit, if the user also gave the time.
  package let name: String
  let time: HistoryTime

  private init(name: String, time: HistoryTime) {
    self.name = name
    self.time = time
  }

  /// Uses the given name and time, and asks git in the repository of the current folder for the name or the time if one
  /// of them is missing.
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
        "the commit is unknown: expected a hash and a time, found '\(text.prefix(80))'",
        context: ["git show"], hint: "give both '--commit' and '--time'")
    }
    self.init(name: String(words[0]), time: time)
  }
}

/// The short hash and the subject of a commit, as git prints them.
package struct GitCommitName: Hashable, Sendable {
  package var shortHash: String
  package var subject: String

  package init(shortHash: String, subject: String) {
    self.shortHash = shortHash
    self.subject = subject
  }

  /// The most commits that one call of git looks up: more than anybody reads, and few enough for a command line.
  private static let mostCommits = 2000

  /// Returns the commits that git knows, by their names in `commits`. Git is asked in the folder of the history, and
  /// then in the current folder. The result is empty if there is no git, or no repository.
  ///
  /// - Parameters:
  ///   - commits: names of commits. Only hashes of at least seven digits are looked up, at most 2,000 of them.
  ///   - path: the path of the history; `-` is stdin.
  package static func names(
    of commits: [String], inHistoryAt path: String, in environment: LaunchEnvironment
  ) -> [String: GitCommitName] {
    let hashes = commits.filter(isHash).suffix(mostCommits)
    if hashes.isEmpty { return [:] }
    let folder = path == "-" ? "" : String(path.dropLast(fileName(ofPath: path).count))
    let folders = folder.isEmpty ? ["."] : [folder, "."]
    for folder in folders {
      let lines = lines(of: hashes, in: folder, environment)
      let found = hashes.compactMap { hash in
        lines.first { $0.hash.hasPrefix(hash) }.map { (hash, $0.name) }
      }
      if !found.isEmpty { return Dictionary(found) { first, _ in first } }
    }
    return [:]
  }

  private static func isHash(_ name: String) -> Bool {
    (7...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { ($0 &- 0x30 < 10) || ($0 &- 0x61 < 6) }
  }

  private static func lines(
    of hashes: some Sequence<String>, in folder: String, _ environment: LaunchEnvironment
  ) -> [(hash: String, name: GitCommitName)] {
    let command =
      [
        "git", "-C", folder, "log", "--no-walk=unsorted", "--ignore-missing",
        "--no-show-signature", "--format=%H%x09%h%x09%s",
      ] + hashes + ["--"]
    // Without the variable GIT_NO_LAZY_FETCH, git would ask the server for unknown commits if the clone lacks objects.
    let text =
      (try? CapturedCommand(environment, isSilent: true).output(
        of: command, variables: [("GIT_NO_LAZY_FETCH", "1")])) ?? []
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count == 3 else { return nil }
      return (
        String(words[0]), GitCommitName(shortHash: String(words[1]), subject: String(words[2]))
      )
    }
  }
}
