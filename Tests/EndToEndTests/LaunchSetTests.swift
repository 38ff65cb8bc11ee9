import Foundation
import TestSupport
import Testing

/// `--launches`: the launches of a file.
@Suite(.needs(.recording)) struct LaunchSetTests {
  /// A program that runs a function for the word that it gets from its arguments, its environment, its standard input or a
  /// file of its folder.
  private static let program = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #include <sys/wait.h>
    #define F(name) __attribute__((noinline, aligned(4096))) void name(void) { __asm__ volatile(""); }
    F(argument) F(variable) F(input) F(file) F(typed) F(again)
    __attribute__((aligned(4096))) int main(int count, char **words) {
      const char *word = count > 1 ? words[1] : "";
      char text[80] = "";
      if (!strcmp(word, "fail")) return 3;
      if (!strcmp(word, "again")) { again(); return 0; }
      if (!strcmp(word, "itself")) {
        if (!fork()) { execl("/proc/self/exe", words[0], "again", NULL); _exit(9); }
        int status;
        wait(&status);
        return status;
      }
      if (!strcmp(word, "word")) argument();
      if (getenv("WORD")) variable();
      if (!access("here", R_OK)) file();
      if (isatty(0)) { fputs("word? ", stdout); fflush(stdout); }
      if (!fgets(text, sizeof text, stdin)) return 0;
      if (isatty(0)) typed(); else input();
      puts(text);
      return 0;
    }
    """

  private static let launches = """
    {"schema": "orderfile.launches/1", "launches": [
      {"name": "word", "command": ["./app", "word"], "count": 2},
      {"name": "variable", "command": ["./app"], "environment": ["WORD=x"]},
      {"name": "input", "command": ["./app"], "input": "in.txt"},
      {"name": "file", "command": ["./app"], "folder": "folder"},
      {"name": "typed", "command": ["./app"], "script": "a.script"},
      {"name": "itself", "command": ["./app", "itself"]},
      {"name": "fail", "command": ["./app", "fail"], "required": false}
    ]}
    """
  private static let names = ["word", "variable", "input", "file", "typed", "itself"]
  private static let functions = ["argument", "variable", "input", "file", "typed", "again"]

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.makeApp(program)
    try workshop.must("cp", ["app", "kept"])
    try workshop.must("mkdir", ["folder"])
    try workshop.write([], "folder/here")
    try workshop.write("hello\n".utf8, "in.txt")
    let limit = "within \(Int(hangLimit))"
    try workshop.write(
      "wait \"word? \" \(limit)\ntype \"hello\" Enter\nwait end \(limit)\n".utf8, "a.script")
    try workshop.write(launches.utf8, "l.json")
    try workshop.write(
      launches.replacingOccurrences(of: ", \"required\": false", with: "").utf8, "strict.json")
  }

  @Test func eachLaunchIsRecorded() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "record", "--breakpoints", "--launches", "l.json", "-o", "traces")
    #expect(run.status == 0 && run.text.isEmpty, "\(run.errors)")
    #expect(
      run.errors.contains(
        "l.json: line 8: launch 'fail': ./app: left out, because it failed and is not required: the launch failed: exit status 3"
      ), "\(run.errors)")
    let traces = try FileManager.default.contentsOfDirectory(atPath: workshop.path("traces"))
    #expect(traces.count == 8 && traces.contains("word.2.oftrace"), "\(traces)")
    for (name, function) in zip(Self.names, Self.functions) {
      let parts = traces.filter { $0.hasPrefix("\(name).") }.map { "traces/\($0)" }
      let text = try parts.map { try workshop.orderfile("show", "--json", $0).text }.joined()
      #expect(Self.functions.filter { text.contains("[\"\($0)\"]") } == [function], "\(text)")
    }
    let again = try workshop.orderfile(
      "record", "--breakpoints", "--launches", "l.json", "-o", "traces", "--only", "itself")
    #expect(again.status == 0)
    // The traces of the first recording have other process numbers.
    let found = try FileManager.default.contentsOfDirectory(atPath: workshop.path("traces"))
    #expect(found.count { $0.hasPrefix("itself.") } == 2, "\(found)")
  }

  @Test(arguments: ["preload", "ptrace"])
  func thePagesOfEachLaunchAreCounted(method: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--method", method, "--json", "--launches", "l.json", "-o", "counts")
    #expect(run.status == 0, "\(run.errors)")
    for (name, function) in zip(Self.names, Self.functions) {
      let text = workshop.text("counts/\(name).json")
      #expect(Self.functions.filter { text.contains("\"\($0)\"") } == [function], "\(name)")
    }
    #expect(!workshop.fileNames.contains("fail.json"))
    let group = try #require((run.json["groups"] as? [[String: Any]])?.first)
    let launches = try #require(group["launches"] as? [[String: Any]])
    #expect(launches.map { $0["name"] as? String } == Self.names)
    func pages(_ value: Any?) -> Int {
      ((value as? [String: Any])?["textPages"] as? Int) ?? 0
    }
    let counts = launches.map { pages($0["figures"]) }
    #expect(pages(group["sum"]) == counts.reduce(0, +))
    let union = pages(group["union"])
    #expect(union > counts.max() ?? 0 && union < pages(group["sum"]))
  }

  @Test func theTextNamesEachLaunch() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--launches", "l.json", "--only", "word", "--only", "file")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasPrefix("launch 'word'\n") && run.text.contains("\n\nlaunch 'file'\n"))
    let summary = try #require(run.text.components(separatedBy: "\n\nall launches of l.json").last)
    for row in ["word\n", "file\n", "SUM\n", "UNION: each page once\n"] {
      #expect(summary.contains("  \(row)"), "\(summary)")
    }
  }

  @Test func aRequiredLaunchThatFailsIsAnError() throws {
    let workshop = try Self.built.copy()
    for command in [["record", "--breakpoints"], ["pages"]] {
      let run = try workshop.orderfile(command + ["--launches", "strict.json"])
      #expect(run.status == 1)
      #expect(
        run.errors.contains(
          "error: strict.json: line 8: launch 'fail': ./app: the launch failed: exit status 3"),
        "\(run.errors)")
    }
  }

  @Test func bothBuildsAreMeasuredInEachLaunch() throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "measure", "--warm", "--runs", "2", "--before", "kept", "--after", "app", "--json",
      "--launches", "l.json", "-o", "times")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("launch 'fail'")
        && run.errors.contains("expected exit status 0, found 3"),
      "\(run.errors)")
    let found = try FileManager.default.contentsOfDirectory(atPath: workshop.path("times"))
    #expect(found.sorted() == Self.names.map { "\($0).json" }.sorted())
    let groups = try #require(run.json["groups"] as? [[String: Any]])
    #expect(groups.count == 1 && groups[0]["cache"] as? String == "warm")
    let sum = try #require(groups[0]["sum"] as? [String: Any])
    #expect(sum["wallNanosecondsBefore"] is Int && sum["wallNanosecondsAfter"] is Int)
  }

  /// The faults of a launch show its last word: the page of the function that the word selects.
  @Test func theFaultsAndStagesOfEachLaunchAreListed() throws {
    let workshop = try Self.built.copy()
    for command in [["faults"], ["stages", "--runs", "1"]] {
      let run = try workshop.orderfile(
        command + ["--json", "--launches", "l.json", "-o", command[0]])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("launch 'fail': "), "\(run.errors)")
      let found = try FileManager.default.contentsOfDirectory(atPath: workshop.path(command[0]))
      #expect(found.sorted() == Self.names.map { "\($0).json" }.sorted())
      #expect(run.text.contains("orderfile.summary/1") == (command == ["faults"]), "\(run.text)")
      let strict = try workshop.orderfile(
        command + ["--launches", "strict.json", "--only", "fail"])
      #expect(
        strict.status == 1 && strict.errors.contains("strict.json: line 8: launch 'fail': "),
        "\(strict.errors)")
    }
    let typed = workshop.text("faults/typed.json")
    #expect(typed.contains("\"./app\"") && typed.contains("\"exitStatus\": 0"))
  }

  @Test(arguments: zip(names, functions))
  func aCheckMakesTheDocumentsOfOneLaunch(name: String, function: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "check", "--launches", "l.json", "--only", name, "--limit",
      "pages.textPages<=1000")
    #expect(run.status == 0, "\(run.errors)")
    let text = workshop.text("orderfile-check/pages.json")
    #expect(Self.functions.filter { text.contains("\"\($0)\"") } == [function])
  }

  @Test(
    arguments: [
      (
        ["record", "--launches", "l.json", "--", "./app"], "a command can't be used with --launches"
      ),
      (["pages", "--only", "a", "--", "./app"], "give --launches FILE, too"),
      (["pages", "--json", "--launches", "l.json"], "give -o FOLDER, too"),
      (["pages", "--launches", "l.json", "--only", "wrod"], "did you mean 'word'?"),
      (
        ["measure", "--before", "a", "--after", "b", "--launches", "l.json", "--timeout", "3"],
        "--timeout can't be used with --launches"
      ),
      (
        ["check", "--launches", "l.json", "--limit", "pages.textPages<=1"],
        "7 launches are selected"
      ),
      (
        ["auto", "--launches", "l.json", "--launch", "./app"],
        "--launch can't be used with --launches"
      ),
    ])
  func wrongOptionsAreRefused(arguments: [String], message: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(arguments)
    #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
  }

  @Test(
    arguments: [
      ("\"folder\": \"none\"", "l.json: line 1: launch 'a': folder: none: expected a folder"),
      ("\"script\": \"none\"", "none: No such file"),
      ("\"input\": \"none\"", "l.json: line 1: launch 'a': input: none: No such file"),
    ])
  func missingFilesAreNamed(member: String, message: String) throws {
    let workshop = try Self.built.copy()
    let file =
      "{\"schema\": \"orderfile.launches/1\", \"launches\": [{\"name\": \"a\", \"command\": [\"./app\"], \(member)}]}"
    try workshop.write(file.utf8, "l.json")
    let run = try workshop.orderfile("pages", "--launches", "l.json")
    #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
  }

  @Test func aProjectIsOrderedForTheLaunchesOfAFile() throws {
    let project = try AutoProject()
    let file = """
      {"schema": "orderfile.launches/1", "launches": [
        {"name": "more", "command": ["./app", "more"], "count": 2},
        {"name": "read", "command": ["./app", "read"], "input": "\(project.workshop.path("in.txt"))",
         "folder": "src", "environment": ["WORD=a b"]},
        {"name": "fail", "command": ["./app", "fail"], "required": false}
      ]}
      """
    try project.workshop.write("hello".utf8, "in.txt")
    try project.workshop.write(file.utf8, "l.json")
    let document = try project.expectOrdered(["--launches", project.workshop.path("l.json")])
    #expect(
      document["launches"] as? [String] == [
        "./app more", "cd -- src && WORD='a b' \"$OLDPWD\"/./app read",
      ])
    let traces = try FileManager.default.contentsOfDirectory(atPath: "\(project.output)/traces")
    #expect(
      traces.sorted() == ["launch-1.2.oftrace", "launch-1.oftrace", "launch-2.oftrace"])
    #expect(
      (document["warnings"] as? [String] ?? []).contains {
        $0.contains("./app fail: left out, because it failed and is not required")
      }, "\(document)")
  }
}
