import Foundation
import TestSupport
import Testing

/// The GitHub action: its file against GitHub's schema, and its steps as a runner would run them. Steps that use other
/// actions upload files; they are not run.
@Suite(.needs("python3", "bash", .python("ruamel"))) struct ActionIntegrations {
  private static let action = projectFolder.appendingPathComponent("action.yml").path

  @Test(.needs(.python("check_jsonschema"))) func theFileFollowsTheSchema() throws {
    let workshop = try Workshop()
    let run = try workshop.start(
      "python3",
      ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", Self.action],
      environment: pythonEnvironment
    ).end()
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    // A file that violates the schema is refused.
    try workshop.write(
      Data(contentsOf: URL(fileURLWithPath: Self.action)) + Data("stages: []\n".utf8), "bad.yml")
    let bad = try workshop.start(
      "python3",
      ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "bad.yml"],
      environment: pythonEnvironment
    ).end()
    #expect(bad.status == 1)
  }

  private struct Job {
    var status: Int32
    var log: String
    var outputs: [String: String]
    var summary: String
    var uploads: [String]
  }

  /// Runs the steps with some inputs in the folder `project`.
  private static func run(_ inputs: [String: String], in workshop: Workshop) throws -> Job {
    try workshop.write(fixture("check/run-action.py"), "run-action.py")
    let run = try workshop.start(
      "python3",
      ["run-action.py", action, workshop.path("project")]
        + inputs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
      environment: pythonEnvironment
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let json = run.json
    return Job(
      status: Int32(try #require(json["status"] as? Int)), log: json["log"] as? String ?? "",
      outputs: json["outputs"] as? [String: String] ?? [:],
      summary: json["summary"] as? String ?? "", uploads: json["uploads"] as? [String] ?? [])
  }

  /// A project of one program, and a tarball of the command as `make package` makes it.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    for folder in ["project", "orderfile-1/bin"] {
      try FileManager.default.createDirectory(
        atPath: workshop.path(folder), withIntermediateDirectories: true)
    }
    try workshop.writeProgram(
      "#!/bin/sh\nexec '\(Built.orderfile)' \"$@\"\n".utf8, "orderfile-1/bin/orderfile")
    try workshop.must("tar", ["-czf", "orderfile.tar.gz", "orderfile-1"])
    return workshop
  }

  @Test func checkWritesItsReportsAndFails() throws {
    let workshop = try Self.workshop()
    func pages(_ count: Int) -> String {
      let pages = (1...count).map {
        "{\"access\": \"execute\", \"address\": \"0x\($0)000\", \"function\": \"f\($0)\", \"pc\": null, \"segment\": \"text\", \"step\": \($0)}"
      }
      return
        "{\"command\": [], \"exitStatus\": 0, \"images\": [{\"id\": null, \"pages\": [\(pages.joined(separator: ", "))], \"path\": \"/app\"}], \"method\": \"preload\", \"schema\": \"orderfile.pages/1\"}"
    }
    try workshop.write(pages(4).utf8, "project/pages.json")
    try workshop.must(
      Built.orderfile,
      ["check", "--init", "project/pages.json", "-o", "project/orderfile.budget.json"])
    let inputs = [
      "package": workshop.path("orderfile.tar.gz"), "check": "pages.json",
      "base": "main/check.json", "sarif": "true",
    ]
    let first = try Self.run(inputs, in: workshop)
    #expect(first.status == 0, "\(first.log)")
    #expect(first.log.contains(" without a baseline: main/check.json does not exist"))
    #expect(first.outputs["outcome"] == "no baseline")
    #expect(first.summary.hasPrefix("### Launch budget: "))
    #expect(
      first.uploads == ["actions/upload-artifact@v4", "github/codeql-action/upload-sarif@v3"])

    let report = try #require(first.outputs["report"])
    try FileManager.default.createDirectory(
      atPath: workshop.path("project/main"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: report, toPath: workshop.path("project/main/check.json"))
    try workshop.write(pages(7).utf8, "project/pages.json")
    let second = try Self.run(inputs, in: workshop)
    #expect(second.status == 2 && second.outputs["outcome"] == "fail", "\(second.log)")
    #expect(second.summary.contains("<code>f7</code>"))
    // Reports are kept also if the check fails.
    #expect(second.uploads.count == 2)
  }

  @Test(.needs("git"), .needs(.recording)) func aLaunchIsCheckedAndItsFiguresAreKept() throws {
    let workshop = try Self.workshop()
    try workshop.makeApp("int main(void) { return 0; }")
    try workshop.must("mv", ["app", "project/app"])
    try workshop.write(
      "{\"limits\": [{\"metric\": \"pages.textPages\", \"max\": 900}], \"schema\": \"orderfile.budget/1\"}"
        .utf8, "project/orderfile.budget.json")
    let user = ["-C", "project", "-c", "user.name=a", "-c", "user.email=a@b"]
    try workshop.must("git", ["init", "-q", "project"])
    try workshop.must("git", user + ["commit", "-q", "--allow-empty", "-m", "x"])
    let job = try Self.run(
      [
        "package": workshop.path("orderfile.tar.gz"), "launch": "./app 'an argument'",
        "history": "main/history.jsonl",
      ], in: workshop)
    #expect(job.status == 0 && job.outputs["outcome"] == "pass", "\(job.log)")
    let folder = try #require(job.outputs["report"]).dropLast("/check.json".count)
    for name in ["pages.json", "launch.oftrace", "junit.xml"] {
      #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)"))
    }
    let history = FileManager.default.contents(atPath: "\(folder)/history.jsonl")
    #expect(history == Data(workshop.bytes("project/main/history.jsonl")))
    #expect(workshop.text("project/main/history.jsonl").contains("\"image\": \"app\""))
  }

  @Test func autoOrdersAndAddsItsSummary() throws {
    let workshop = try Self.workshop()
    let functions = (0..<60).map {
      "__attribute__((noinline, used)) static int f\($0)(int n) { __asm__ volatile(\".fill 200, 1, 0x90\"); return n + \($0); }\n"
    }
    try workshop.write(
      (functions.joined() + "int main(int n, char **v) { return f50(f10(f30(n))) < 0; }\n").utf8,
      "project/app.c")
    try workshop.write(
      "app: app.c\n\t$(CC) $(CFLAGS) -O1 -ffunction-sections $(LDFLAGS) -o $@ $<\n".utf8,
      "project/Makefile")
    try workshop.write(
      "{\"limits\": [{\"metric\": \"auto.predictedPages\", \"pageSizeBytes\": 4096, \"max\": 0}], \"schema\": \"orderfile.budget/1\"}"
        .utf8, "budget.json")
    try workshop.write(
      """
      {"images": [{"figures": [], "functions": [{"address": "0x1000", "bytes": 16, "name": "main"}], "image": "app"}], \
      "schema": "orderfile.check/1"}
      """.utf8, "base.json")
    let job = try Self.run(
      [
        "package": workshop.path("orderfile.tar.gz"), "auto": "./app --help\n\n  ./app\r\n",
        "artifact": "", "check": "orderfile-auto/summary.json", "budget": "../budget.json",
        "base": "../base.json",
      ], in: workshop)
    // The new build runs a function that the base does not run.
    #expect(job.status == 2 && job.outputs["outcome"] == "fail", "\(job.log)")
    #expect(job.summary.contains("- new: <code>f10</code>"), "\(job.summary)")
    let folder = try #require(job.outputs["folder"])
    #expect(FileManager.default.fileExists(atPath: "\(folder)/orders/app.order"))
    #expect(job.summary.contains("app"), "\(job.summary)")
    #expect(job.uploads.isEmpty)
  }

  @Test func inputsAreNoPartOfAScript() throws {
    let workshop = try Self.workshop()
    try workshop.write(
      "{\"limits\": [{\"metric\": \"gen.entries\", \"max\": 0}], \"schema\": \"orderfile.budget/1\"}"
        .utf8, "project/orderfile.budget.json")
    let job = try Self.run(
      [
        "package": workshop.path("orderfile.tar.gz"), "check": "$(touch${IFS}pwned) `touch pwned`",
        "base": "'; touch pwned; '",
      ], in: workshop)
    #expect(
      job.status == 1 && job.log.contains("orderfile: error: $(touch${IFS}pwned): "), "\(job.log)")
    #expect(!FileManager.default.fileExists(atPath: workshop.path("project/pwned")))
  }

  /// `auto` recognizes build systems by the words of the command, which a shell would hide. The command here prints its
  /// arguments.
  @Test(arguments: [
    ("make app", "<make><app>"), ("  env  A=1 make -j2\n", "<env><A=1><make><-j2>"),
    ("make && true", "<bash><-c><make && true>"), ("A=1 make", "<bash><-c><A=1 make>"),
    ("cd .", "<bash><-c><cd .>"), ("make a\nmake b", "<bash><-c><make a\nmake b>"),
    ("make *.o", "<bash><-c><make *.o>"),
  ])
  func buildCommandsArePassedAsWordsIfTheyAre(command: String, words: String) throws {
    let workshop = try Self.workshop()
    try workshop.writeProgram(
      #"""
      #!/bin/sh
      if [ "$1" = auto ]; then
        printf '<%s>' "$@"
        mkdir -p orderfile-auto/orders
        touch orderfile-auto/summary.md
      fi
      """#.utf8, "orderfile-1/bin/orderfile")
    try workshop.must("tar", ["-czf", "orderfile.tar.gz", "orderfile-1"])
    let job = try Self.run(
      ["package": workshop.path("orderfile.tar.gz"), "auto": "./app", "build": command],
      in: workshop)
    #expect(
      job.status == 0 && job.log.hasSuffix("<--launch><./app><-->\(words)"), "\(job.log)")
  }

  @Test(arguments: ["strict", "sarif", "install-only"])
  func booleansAreTrueOrFalse(input: String) throws {
    let workshop = try Self.workshop()
    for value in ["True", "yes", ""] {
      let job = try Self.run(
        ["package": workshop.path("orderfile.tar.gz"), input: value], in: workshop)
      #expect(job.status == 1)
      #expect(
        job.log.contains("invalid input \(input): expected true or false, found '\(value)'"))
    }
  }

  @Test func aReleaseThatCannotBeFoundIsNamed() throws {
    let workshop = try Self.workshop()
    let local = try Self.run(["github.action_repository": ""], in: workshop)
    #expect(local.status == 1 && local.log.contains("unable to find the release: "), "\(local.log)")
    try workshop.writeProgram("#!/bin/sh\necho Darwin\n".utf8, "uname")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let mac = try workshop.start(
      "bash", [projectFolder.appendingPathComponent("Scripts/action.sh").path, "install"],
      environment: [
        "PATH": "\(workshop.folder.path):\(path)", "RUNNER_TEMP": workshop.folder.path,
        "ORDERFILE_PACKAGE": "", "ORDERFILE_INSTALL_ONLY": "false", "ORDERFILE_SARIF": "false",
        "ORDERFILE_STRICT": "false", "ORDERFILE_FAIL_ON_BASE": "false",
      ]
    ).end()
    #expect(mac.status == 1 && mac.text.contains("no package for macOS"), "\(mac.text)")
  }

  @Test func installOnlyRunsNothingElse() throws {
    let workshop = try Self.workshop()
    let job = try Self.run(
      [
        "package": workshop.path("orderfile.tar.gz"), "install-only": "true", "check": "gone.json",
        "auto": "gone",
      ], in: workshop)
    #expect(job.status == 0 && job.log.contains("trace format"), "\(job.log)")
    let bad = try Self.run(["package": workshop.path("gone.tar.gz")], in: workshop)
    #expect(bad.status != 0 && bad.log.contains("::error title=orderfile::unable to unpack"))
  }
}
