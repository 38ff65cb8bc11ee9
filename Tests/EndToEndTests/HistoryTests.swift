import Foundation
import TestSupport
import Testing

/// Tests `orderfile history`, from documents to its reports.
@Suite(.needs(.processes)) struct HistoryTests {
  private static let at = ["--commit", "c1", "--time", "1700000000", "--arch", "x86_64"]

  /// A history of 40 commits, whose pages rise by three at c25.
  private static func lines() -> [UInt8] {
    let lines = (0..<40).map { index in
      """
      {"architecture": "x86_64", "commit": "c\(index)", "image": "app", "metrics": [{"direction": "lower", \
      "name": "textPages", "unit": "pages", "value": \(index < 25 ? 143 : 146)}], "pageSizeBytes": 4096, \
      "schema": "orderfile.history/1", "source": "pages", "time": "\(1_700_000_000 + index)"}

      """
    }
    return Array(lines.joined().utf8)
  }

  private func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(fixture("reporting/pages/expected.json"), "pages.json")
    try workshop.write(fixture("reporting/measure/cold-and-warm/expected.json"), "measure.json")
    return workshop
  }

  @Test func keepsWhatCommandsWriteAndShowsIt() throws {
    let workshop = try workshop()
    let added = try workshop.orderfile(
      ["history", "add", "h.jsonl", "pages.json", "measure.json"] + Self.at)
    try #require(added.status == 0, "\(added.errors)")
    let lines = workshop.text("h.jsonl").split(separator: "\n")
    #expect(added.errors.split(separator: "\n").count == lines.count)
    #expect(added.errors.hasPrefix("orderfile: h.jsonl: added "))
    let shown = try workshop.mustOrderfile("show", "h.jsonl")
    #expect(shown.text.contains("wallTime") && shown.text.contains("textPages"))
    #expect(shown.text.hasPrefix("h.jsonl: a history (orderfile.history/1)\n\n"))
    let again = try workshop.orderfile(["history", "add", "h.jsonl", "pages.json"] + Self.at)
    #expect(
      again.status == 0 && again.errors.contains("already has these figures of c1, and keeps"))
    #expect(workshop.text("h.jsonl").split(separator: "\n").count == lines.count)
    let other = try workshop.orderfile(
      ["history", "add", "-q", "h.jsonl", "pages.json", "--launch-name", "second"] + Self.at)
    #expect(other.status == 0 && other.errors.isEmpty)
    #expect(workshop.text("h.jsonl").split(separator: "\n").count > lines.count)
  }

  @Test func documentsWithTheSameFiguresAreToldApart() throws {
    let workshop = try workshop()
    try workshop.write(fixture("reporting/pages/expected.json"), "other.json")
    let run = try workshop.orderfile(
      ["history", "add", "h.jsonl", "pages.json", "other.json"] + Self.at)
    #expect(run.status == 1 && run.errors.contains("other.json: duplicate figures of pages of "))
    #expect(run.errors.contains("'pages.json' has the same figures\n"))
    #expect(
      run.errors.contains(
        "hint: add each document with a command of its own, and another '--launch-name'"))
    #expect(!workshop.fileNames.contains("h.jsonl"))
    let unnamed = try workshop.orderfile(
      ["history", "add", "h.jsonl", "pages.json", "--launch-name", ""] + Self.at)
    #expect(
      unnamed.status == 64 && unnamed.errors.contains("invalid --launch-name: expected a name"))
  }

  @Test(.needs("git")) func asksGitForTheCommit() throws {
    let workshop = try workshop()
    let arguments = ["history", "add", "h.jsonl", "pages.json", "--arch", "x86_64"]
    let without = try workshop.start(
      Built.orderfile, arguments, environment: ["GIT_CEILING_DIRECTORIES": "/"]
    ).end()
    #expect(
      without.status == 1 && without.errors.contains("hint: give both '--commit' and '--time'"))
    #expect(!workshop.fileNames.contains("h.jsonl"), "nothing was added to it")
    try workshop.must("git", ["init", "-q"])
    let commit = try workshop.start(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
      environment: ["GIT_COMMITTER_DATE": "1700000000 +0000"]
    ).end()
    try #require(commit.status == 0, "\(commit.errors)")
    try workshop.must(Built.orderfile, arguments)
    try workshop.must(Built.orderfile, arguments + ["--commit", "HEAD", "--launch-name", "named"])
    let hash = try workshop.must("git", ["rev-parse", "HEAD"]).text.dropLast()
    let lines = workshop.text("h.jsonl").split(separator: "\n")
    #expect(lines.count { $0.contains("\"launch\": \"named\"") } * 2 == lines.count)
    for line in lines {
      #expect(line.contains("\"commit\": \"\(hash)\""))
      #expect(line.contains("\"time\": \"2023-11-14T22:13:20Z\""))
    }
    let bad = try workshop.orderfile(arguments + ["--commit", "--upload-pack=x"])
    #expect(bad.status != 0)
  }

  @Test func findsTheCommitThatBroughtThreePages() throws {
    let workshop = try workshop()
    try workshop.write(Self.lines(), "h.jsonl")
    let run = try workshop.mustOrderfile("history", "trend", "h.jsonl")
    let found = run.text.split(separator: "\n").filter { $0.contains("textPages") }
    #expect(found.count == 1 && found[0].contains("+2.1%  worse") && found[0].hasPrefix("  c25 "))
    let json = try workshop.mustOrderfile("history", "trend", "--json", "h.jsonl").json
    #expect(json["schema"] as? String == "orderfile.trend/1")
    let small = try workshop.mustOrderfile("history", "trend", "--min-change", "3%", "h.jsonl")
    #expect(small.text.contains("no change: textPages (146)"))
    #expect(json["method"] as? String == "ranks")
    let otava = try workshop.mustOrderfile(
      "history", "trend", "--max-p", "0.01", "--json", "h.jsonl"
    )
    .json
    #expect(otava["method"] as? String == "otava" && otava["maximumP"] as? Double == 0.01)
  }

  /// The command asks Git for the commit's subject in the folder of the history. If that folder is in no repository,
  /// only the hash of the commit is known.
  @Test(.needs("git")) func aCommitHasItsSubject() throws {
    let workshop = try workshop()
    try workshop.must("git", ["init", "-q", "project"])
    var hashes: [String] = []
    for subject in ["Add the program", "Load plugins at startup"] {
      try workshop.must(
        "git",
        [
          "-C", "project", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q",
          "--allow-empty", "-m", subject,
        ])
      hashes.append(
        String(try workshop.must("git", ["-C", "project", "rev-parse", "HEAD"]).text.dropLast()))
    }
    // The history has a commit that the repository lacks, and a name that is no hash.
    let text = String(decoding: Self.lines(), as: UTF8.self)
      .replacing("\"c25\"", with: "\"\(hashes[1])\"")
      .replacing("\"c24\"", with: "\"\(String(repeating: "f", count: 40))\"")
    try workshop.write(text.utf8, "project/h.jsonl")
    try workshop.write(text.utf8, "h.jsonl")
    let known = try workshop.mustOrderfile("history", "trend", "project/h.jsonl")
    #expect(known.text.contains("Load plugins at startup"), "\(known.text)")
    #expect(known.text.contains("\n  \(hashes[1].prefix(7))") && known.errors.isEmpty)
    let unknown = try workshop.start(
      Built.orderfile, ["history", "trend", "h.jsonl"],
      environment: ["GIT_CEILING_DIRECTORIES": "/"]
    ).end()
    #expect(unknown.text.contains("\n  \(hashes[1].prefix(8))  2023-"), "\(unknown.text)")
    #expect(unknown.status == 0 && unknown.errors.isEmpty && !unknown.text.contains("SUBJECT"))
  }

  @Test func coloursFollowTheEnvironment() throws {
    let workshop = try workshop()
    try workshop.write(Self.lines(), "h.jsonl")
    func text(_ environment: [String: String]) throws -> String {
      try workshop.orderfile("history", "trend", "h.jsonl", environment: environment).text
    }
    #expect(try text(["CLICOLOR_FORCE": "1", "NO_COLOR": ""]).contains("\u{1b}[31m"))
    #expect(try !text(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).contains("\u{1b}"))
  }

  /// Several at once, as jobs on one machine would.
  @Test func concurrentAdditionsAllArrive() throws {
    let workshop = try workshop()
    let runs = try (0..<6).map { index in
      try workshop.start(
        Built.orderfile,
        [
          "history", "add", "-q", "h.jsonl", "pages.json", "--commit", "c\(index)", "--time", "1",
          "--arch", "x86_64",
        ])
    }
    for run in runs { #expect(run.end().status == 0) }
    let commits = workshop.text("h.jsonl").matches(of: /"commit": "(c.)"/).map { String($0.1) }
    #expect(Set(commits) == ["c0", "c1", "c2", "c3", "c4", "c5"])
    try workshop.mustOrderfile("show", "h.jsonl")
  }

  @Test(.needs(.mounting)) func aFullDiskLeavesTheHistoryAsItWas() throws {
    let workshop = try workshop()
    try workshop.write(Self.lines(), "h.jsonl")
    let run = try workshop.start(
      "unshare",
      [
        "-m", "sh", "-c",
        """
        set -e
        mkdir disk; mount -t tmpfs -o size=16k none disk; cp h.jsonl disk
        for i in 1 2 3 4 5 6 7 8 9; do cp disk/h.jsonl before
          "$0" history add -q disk/h.jsonl pages.json --commit n$i --time 1 --arch x86_64 || break; done
        cmp before disk/h.jsonl && "$0" show disk/h.jsonl >/dev/null
        """, Built.orderfile,
      ]
    ).end()
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(
      run.errors == "orderfile: error: disk/h.jsonl: unable to append: No space left on device\n")
  }

  /// `show` and `export` recognize a history by its contents.
  @Test func aHistoryIsShownAndExportedLikeOtherFiles() throws {
    let workshop = try workshop()
    try workshop.write(Self.lines(), "h.jsonl")
    let all = try workshop.mustOrderfile("show", "--json", "h.jsonl")
    #expect(all.output == workshop.bytes("h.jsonl"))
    let last = try workshop.mustOrderfile("show", "--json", "--last", "2", "h.jsonl").text
    #expect(last.split(separator: "\n").count == 2 && last.contains("c39"))
    let other = try workshop.orderfile("show", "--last", "2", "pages.json")
    #expect(other.status == 64 && other.errors.contains("--last applies only to a history"))
    let table = try workshop.mustOrderfile("export", "csv", "h.jsonl").output
    let piped = try workshop.start(
      "/bin/sh", ["-c", "cat h.jsonl | \"$0\" export csv -", Built.orderfile]
    ).end()
    #expect(piped.output == table && piped.status == 0)
    for (arguments, message) in [
      (["influx", "h.jsonl", "h.jsonl"], "expected one history, found 2 files"),
      (["csv", "h.jsonl", "--arch", "x86_64"], "--arch is for launches, not for a history"),
    ] {
      let run = try workshop.orderfile(["export"] + arguments)
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
    let pages = try workshop.mustOrderfile("show", "pages.json").text
    #expect(pages.hasPrefix("pages.json: orderfile pages --json (orderfile.pages/1)\n\n"))
    #expect(
      try workshop.mustOrderfile("show", "--json", "pages.json").output
        == workshop.bytes("pages.json"))
  }

  @Test func whatIsNoFileIsRefused() throws {
    let workshop = try workshop()
    try workshop.write(Self.lines(), "h.jsonl")
    let device = try workshop.orderfile(["history", "add", "/dev/full", "pages.json"] + Self.at)
    #expect(
      device.errors == "orderfile: error: /dev/full: unable to append: expected a regular file\n")
    for form in ["influx", "openmetrics", "csv"] {
      let run = try workshop.orderfile("export", form, "h.jsonl", "-o", "/dev/full")
      #expect(
        run.errors == "orderfile: error: /dev/full: unable to write: No space left on device\n")
    }
    let gone = try workshop.orderfile("history", "trend", "nowhere.jsonl")
    #expect(gone.status == 1 && gone.errors.contains("nowhere.jsonl: No such file"))
  }

  @Test(arguments: ["add", "trend"]) func helpOpensWithTwoExamples(
    command: String
  ) throws {
    let help = try Workshop().mustOrderfile("history", command, "--help").text
    let head = help.components(separatedBy: "USAGE:")[0]
    #expect(head.components(separatedBy: "$ orderfile history \(command) ").count >= 3)
    #expect(
      help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE:") }, "\(help)"
    )
  }

  /// Documents of earlier versions do not state it.
  @Test func theDocumentOrTheImageTellsTheArchitecture() throws {
    let workshop = try workshop()
    let document = """
      {"command": ["x"], "exitStatus": 0, "images": [{"pages": [], "path": "\(Built.orderfile)"}], \
      "method": "preload", "schema": "orderfile.pages/1"}
      """
    try workshop.write(document.utf8, "own.json")
    let run = try workshop.orderfile(
      "history", "add", "h.jsonl", "own.json", "--commit", "c", "--time", "1")
    #expect(
      run.status == 0 && workshop.text("h.jsonl").contains("\"architecture\": \""), "\(run.errors)")
    try workshop.write(document.replacing(Built.orderfile, with: "/gone").utf8, "gone.json")
    let gone = try workshop.orderfile(
      "history", "add", "h.jsonl", "gone.json", "--commit", "c", "--time", "1")
    #expect(gone.status == 1 && gone.errors.contains("hint: give '--arch'"), "\(gone.errors)")
    let other = try workshop.orderfile(
      "history", "add", "h.jsonl", "pages.json", "--arch", "arm64", "--commit", "c", "--time", "1")
    #expect(
      other.status == 3
        && other.errors.contains(
          "the image is of another architecture: expected arm64, found x86_64"),
      "\(other.errors)")
  }
}
