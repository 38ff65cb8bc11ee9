import ByteReading
import CommandSupport
import Foundation
import ImageModel
import ProcessLaunch
import TestSupport
import Testing

/// The file of `--launches`.
@Suite struct LaunchSetTests {
  private static func read(_ text: String) throws(ParseError) -> LaunchSet {
    try LaunchSet(parsing: FileBytes(Array(text.utf8)))
  }

  /// A file with one launch that has these members, on line 2.
  private static func file(_ members: String) -> String {
    "{\"schema\": \"orderfile.launches/1\", \"launches\": [\n{\(members)}]}"
  }

  private static let example = """
    {
      "launches": [
        {"command": ["build/app", "--help"], "name": "help"},
        {
          "command": ["app", "a b"], "count": 3, "environment": ["LANG=C", "A=b=c"], "folder": "data",
          "input": "in.txt", "name": "read-2", "required": false, "timeoutSeconds": 2.5,
          "untilReady": "port=8080"
        },
        {"command": ["vim"], "name": "edit_3", "script": "edit.script"}
      ],
      "schema": "orderfile.launches/1"
    }
    """

  @Test func aFileHasAllThatALaunchNeeds() throws {
    let set = try Self.read(Self.example)
    var help = DescribedLaunch(name: "help", command: ["build/app", "--help"], line: 3)
    #expect(set.launches[0] == help)
    help = DescribedLaunch(name: "read-2", command: ["app", "a b"], line: 4)
    help.count = 3
    help.environment = [.init(name: "LANG", value: "C"), .init(name: "A", value: "b=c")]
    help.folder = "data"
    help.input = "in.txt"
    help.isRequired = false
    help.timeout = 2.5
    help.readiness = .port(8080)
    #expect(set.launches[1] == help)
    #expect(set.launches[2].script?.path == "edit.script")
    #expect(set.launches.map(\.limit) == [nil, 2.5, nil])
  }

  @Test func aProgramIsLookedUpBeforeTheFolderChanges() {
    var launch = DescribedLaunch(name: "a", command: ["build/app", "x"])
    #expect(launch.words(in: "/here") == ["build/app", "x"])
    launch.folder = "data"
    #expect(launch.words(in: "/here") == ["/here/build/app", "x"])
    launch.command = ["app"]
    #expect(launch.words(in: "/here") == ["app"])
    launch.command = ["/bin/app"]
    #expect(launch.words(in: "/here") == ["/bin/app"])
  }

  @Test(
    arguments: [
      ("\"command\": [\"a\"]", "missing name (at line 2)"),
      ("\"name\": \"a\"", "missing command (at line 2)"),
      (
        "\"name\": \"a\", \"command\": []",
        "invalid command: expected a program and its arguments, found no program (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\\u0000b\"]",
        "invalid command: expected words without NUL, found NUL (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": \"a b\"",
        "invalid command: expected '[', found '\"' (at line 2)"
      ),
      (
        "\"name\": \"../a\", \"command\": [\"a\"]",
        "invalid name: expected 1 to 60 letters, digits, '-' or '_' of ASCII, the first a letter or digit, found '../a' (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"timeout\": 3",
        "invalid key: expected one of command, count, environment, folder, input, name, required, script, timeoutSeconds, untilReady, found 'timeout' (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"requird\": false",
        "invalid key: expected one of command, count, environment, folder, input, name, required, script, timeoutSeconds, untilReady, found 'requird', did you mean 'required'? (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"count\": 0",
        "invalid count: expected 1 to 1000, found 0 (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"timeoutSeconds\": -1",
        "invalid timeoutSeconds: expected seconds above 0, found -1.0 (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"untilReady\": \"8080\"",
        "invalid untilReady: expected 'port=NUMBER', 'line=TEXT' or 'mark=NAME', found '8080' (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"script\": \"s\", \"input\": \"i\"",
        "invalid input: expected no input beside a script, which types the input, found a file (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"environment\": [\"LD_PRELOAD=x.so\"]",
        "invalid environment: expected a variable that orderfile does not set itself, found 'LD_PRELOAD' (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"environment\": [\"A B=c\"]",
        "invalid environment: expected 'NAME=value', the name of ASCII letters, digits and '_', found 'A B=c' (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"], \"folder\": \"\"",
        "invalid folder: expected a path, found none (at line 2)"
      ),
      (
        "\"name\": \"a\", \"command\": [\"a\"]},\n{\"name\": \"a\", \"command\": [\"b\"]",
        "invalid name: expected each name once, found 'a' again (at line 3)"
      ),
    ])
  func errorsSayWhere(members: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Self.read(Self.file(members)) }
    #expect(error?.description == message)
  }

  @Test func aFileHasALaunch() {
    let text = "{\"schema\": \"orderfile.launches/1\",\n\"launches\": []}"
    let error = #expect(throws: ParseError.self) { try Self.read(text) }
    #expect(
      error?.description
        == "invalid launches: expected 1 to 1000 launches, found 0 (at line 2)")
  }

  @Test func launchesAreSelectedByName() throws {
    let set = try Self.read(Self.example)
    #expect(try set.launches(named: [], at: "l.json").count == 3)
    #expect(
      try set.launches(named: ["edit_3", "help"], at: "l.json").map(\.name) == ["help", "edit_3"])
    let error = #expect(throws: Diagnostic.self) {
      try set.launches(named: ["hepl"], at: "l.json")
    }
    #expect(error?.message == "expected the name of a launch, found 'hepl', did you mean 'help'?")
    #expect(error?.severity == .usage)
  }

  /// The lines of the written file differ.
  @Test func aWrittenFileIsReadAgain() throws {
    let set = try Self.read(Self.example)
    var again = try LaunchSet(parsing: FileBytes(set.json()))
    for (index, launch) in set.launches.enumerated() { again.launches[index].line = launch.line }
    #expect(again == set)
  }

  @Test func damagedFilesNeverTrapHostile() throws {
    let bytes = Array(Self.example.utf8)
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 1 {
      #expect(throws: ParseError.self) {
        try LaunchSet(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
    for copy in byteFlips(of: bytes) { _ = try? LaunchSet(parsing: FileBytes(copy)) }
  }

  /// The example of the page is a file of launches.
  @Test func thePagesExampleIsRead() throws {
    let page = try String(
      contentsOf: projectFolder.appendingPathComponent("docs/how-to/LAUNCHES.md"), encoding: .utf8)
    let example = try #require(page.firstMatch(of: /```json\n((?s).*?)```/)?.1)
    #expect(try Self.read(String(example)).launches.map(\.name) == ["help", "edit", "serve"])
  }
}

/// Launches of a file, of which some fail.
@Suite struct MadeLaunchesTests {
  private static func launch(required: Bool) -> DescribedLaunch {
    var launch = DescribedLaunch(name: "a", command: ["app"], path: "l.json", line: 4)
    launch.isRequired = required
    return launch
  }

  private static func fail() throws -> Int { throw Diagnostic("no", context: ["app"]) }

  @Test func aRequiredLaunchThatFailsIsAnError() {
    var made = MadeLaunches()
    let error = #expect(throws: Diagnostic.self) {
      try made.make(Self.launch(required: true), Self.fail)
    }
    #expect(error?.context == ["l.json", "line 4", "launch 'a'", "app"])
  }

  @Test func anOptionalOneIsLeftOut() throws {
    var made = MadeLaunches()
    #expect(try made.make(Self.launch(required: false), Self.fail) == nil)
    #expect(throws: Diagnostic.self) { try made.check() }
    #expect(try made.make(Self.launch(required: true)) { 1 } == 1)
    try made.check()
    #expect(
      made.notes.map(\.message) == ["left out, because it failed and is not required: no"])
  }
}
