import Foundation
import ProcessLaunch
import TestSupport
import Testing

/// Launches with a terminal, into which a script types.
extension ProgramLaunchTests {
  private static func text(_ text: String) -> TerminalScript.Action {
    .wait(.text(text), seconds: hangLimit)
  }
  private static func type(_ text: String) -> TerminalScript.Action {
    .type([.bytes(Array(text.utf8))])
  }
  private static let end = TerminalScript.Action.wait(.end, seconds: hangLimit)
  private static let quiet = TerminalScript.Action.wait(.quiet, seconds: hangLimit)
  private static let enter = "\r"
  private static let control = (d: "\u{4}", c: "\u{3}")

  private static func script(
    _ actions: [TerminalScript.Action], _ size: TerminalScript.Size = .usual
  ) -> TerminalScript {
    TerminalScript(
      path: "app.script", size: size,
      steps: actions.enumerated().map { TerminalScript.Step(line: $0.offset + 1, $0.element) })
  }

  /// Launches `shell` with a script, and returns the result and the output.
  private func launch(
    _ shell: String, _ actions: [TerminalScript.Action], _ size: TerminalScript.Size = .usual
  ) throws -> (result: ProgramLaunch.Result, text: String) {
    try workshop.write([], "log")
    let log = try #require(
      FileHandle(forWritingAtPath: workshop.folder.appendingPathComponent("log").path))
    var launch = Self.shell("cd '\(workshop.folder.path)'\n\(shell)")
    launch.streams.output = log.fileDescriptor
    launch.script = Self.script(actions, size)
    launch.readiness = launch.script?.hasReady ?? false ? .script : nil
    let result = try Self.run(launch)
    let text = try Data(contentsOf: workshop.folder.appendingPathComponent("log"))
    return (result, String(decoding: text, as: UTF8.self))
  }

  @Test func theTerminalIsTheProgramsOwn() throws {
    let (result, text) = try launch(
      "test -t 0 && test -t 1 && test -t 2 && stty size </dev/tty && echo $TERM", [Self.end],
      .init(columns: 97, rows: 31))
    #expect(result.scriptFailure == nil && result.end == .exited(0))
    #expect(text == "31 97\r\nxterm-256color\r\n")
  }

  @Test func aQuestionIsAnswered() throws {
    let (result, text) = try launch(
      "printf 'name? '; read name; echo hello $name; read name; echo bye $name",
      [
        Self.text("name? "), Self.type("Ann" + Self.enter), Self.text("hello Ann"),
        Self.type("Bob" + Self.enter), Self.text("bye Bob"), Self.end,
      ])
    #expect(result.scriptFailure == nil && result.end == .exited(0))
    #expect(text.contains("bye Bob"))
  }

  /// The prompt of the first question is still on the screen, and is not taken for the second.
  @Test func aTextHasToBeDrawnAfterTheLastKey() throws {
    let (result, _) = try launch(
      "printf '> '; read x; read y",
      [Self.text("> "), Self.type("a" + Self.enter), .wait(.text("> "), seconds: 0.01)])
    #expect(result.scriptFailure?.line == 3 && result.scriptFailure?.reason == .tooLate)
    #expect(result.scriptFailure?.screen.first?.hasPrefix(">") == true)
  }

  /// Without a key between them, texts may come in one piece.
  @Test func textsMayComeTogether() throws {
    let lines = (1...60).map { "line \($0)." }
    let (result, _) = try launch(
      "printf '%s\\n' \(lines.map { "'\($0)'" }.joined(separator: " ")); read x",
      lines.map { Self.text($0) } + [Self.type(Self.enter), Self.end])
    #expect(result.scriptFailure == nil && result.end == .exited(0))
  }

  @Test func theReadyPointEndsTheLaunchAsAClosedTerminalDoes() throws {
    let (result, _) = try launch(
      "trap 'echo >hung-up; exit 3' HUP; echo up; while :; do sleep 1000; done",
      [Self.text("up"), Self.quiet, .ready])
    #expect(result.isReady && result.end == .exited(0) && result.scriptFailure == nil)
    #expect(workshop.has("hung-up"))
  }

  @Test func aTextThatNeverComesEndsTheLaunch() throws {
    let (result, _) = try launch(
      "printf 'one\\n\\ntwo\\n'; while :; do sleep 1000; done",
      [Self.text("two"), .wait(.text("three"), seconds: 0.01)])
    let failure = try #require(result.scriptFailure)
    #expect(failure.line == 2 && failure.reason == .tooLate && !result.timedOut)
    #expect(failure.action == .wait(.text("three"), seconds: 0.01))
    #expect(failure.screen == ["one", "", "two"] && result.end == .killed(signal: SIGHUP))
  }

  @Test(arguments: [text("x"), type("x"), .ready])
  func aProgramThatEndsEarlyIsAFailure(action: TerminalScript.Action) throws {
    let (result, _) = try launch("echo over; exit 7", [Self.text("over"), Self.end, action])
    #expect(result.scriptFailure?.reason == .programEnded && result.end == .exited(7))
    #expect(result.scriptFailure?.screen == ["over"] && result.scriptFailure?.line == 3)
  }

  @Test func aProgramThatGoesOnAfterTheScriptIsAFailure() throws {
    let (result, _) = try launch(
      "while :; do sleep 1000; done", [.wait(.end, seconds: 0.01)])
    #expect(result.scriptFailure?.reason == .tooLate && result.end == .killed(signal: SIGHUP))
  }

  @Test func aProgramThatClosesItsTerminalIsAFailure() throws {
    let (result, _) = try launch(
      "echo up; exec </dev/null >/dev/null 2>&1; while :; do sleep 1000; done",
      [Self.text("up"), Self.text("down")])
    #expect(result.scriptFailure?.reason == .terminalClosed && result.scriptFailure?.line == 2)
  }

  @Test func aProgramThatIgnoresTheEndIsKilled() throws {
    let (result, _) = try launch(
      "trap '' HUP TERM; echo up; while :; do sleep 1000; done", [Self.text("up"), .ready])
    #expect(result.isReady)
  }

  @Test func whatIsLeftRunningEndsWithTheTerminal() throws {
    let (result, text) = try launch(
      "sleep 1000 & echo $! ok", [Self.text("ok"), Self.end])
    #expect(result.scriptFailure == nil && result.end == .exited(0))
    let number = try #require(text.split(separator: " ").first.flatMap { UInt32($0) })
    #expect(holdsInTheEnd { kill(pid_t(number), 0) != 0 })
  }

  @Test func keysAreWhatTheProgramAskedFor() throws {
    let keys = "stty raw -echo; printf '%sgo'; dd bs=3 count=1 2>/dev/null | od -An -c"
    for (mode, code) in [
      ("", "033 [ A"), ("\\033[?1h", "033 O A"), ("\\033[?1h\\033[?1l", "033 [ A"),
    ] {
      let (result, text) = try launch(
        keys.replacingOccurrences(of: "%s", with: mode),
        [Self.text("go"), .type([.cursor(0x41)]), Self.end])
      #expect(result.scriptFailure == nil)
      #expect(text.split(separator: " ").joined(separator: " ").contains(code))
    }
  }

  /// The shell runs the trap between two commands. A signal may come just before a command begins, so the commands are
  /// short.
  @Test func controlKeysAreSignals() throws {
    let (result, _) = try launch(
      "trap 'exit 5' INT; echo up; while :; do sleep 0.01; done",
      [Self.text("up"), Self.type(Self.control.c), Self.end])
    #expect(result.scriptFailure == nil && result.end == .exited(5))
  }

  @Test func theWindowChanges() throws {
    let (result, _) = try launch(
      "trap 'stty size; seen=1' WINCH; echo up; until test \"$seen\"; do sleep 0.01; done; read x; test \"$x\" = q",
      [
        Self.text("up"), .resize(.init(columns: 100, rows: 30)), Self.text("30 100"),
        Self.type("q" + Self.enter), Self.end,
      ])
    #expect(result.scriptFailure == nil && result.end == .exited(0))
  }

  @Test func muchOutputIsRead() throws {
    let (result, text) = try launch(
      "yes \"$(printf 'a\\377\\033[5;99999999999Hb\\033]0;x')\" | head -c 3000000; printf '\\033cdone'",
      [Self.text("done"), Self.end])
    #expect(result.scriptFailure == nil && result.end == .exited(0))
    #expect(text.utf8.count > 3_000_000)
  }

  @Test func questionsToTheTerminalAreAnswered() throws {
    let (result, text) = try launch(
      "stty raw -echo; printf '\\n\\n\\033[5G\\033[6n'; dd bs=6 count=1 2>/dev/null | od -An -c",
      [Self.end])
    #expect(result.scriptFailure == nil)
    #expect(text.split(separator: " ").joined(separator: " ").contains("033 [ 3 ; 5 R"))
  }

  @Test func aTimeLimitIsNoFailureOfTheScript() throws {
    var launch = Self.shell("while :; do sleep 1000; done")
    launch.script = Self.script([Self.text("never")])
    launch.timeout = 0.01
    let result = try Self.run(launch)
    #expect(result.timedOut && result.scriptFailure == nil && result.end == .killed(signal: SIGHUP))
  }

  /// The rows of the screen after a program has written `bytes`.
  private func screen(
    _ bytes: [UInt8], _ size: TerminalScript.Size = .init(columns: 10, rows: 4)
  ) throws -> [String] {
    try workshop.write(bytes, "bytes")
    let (result, _) = try launch("stty raw; cat bytes", [Self.end, Self.text("never")], size)
    return try #require(result.scriptFailure).screen
  }

  @Test(
    arguments: [
      ("a\r\nb\tc", ["a", "b       c"]),
      ("0123456789abc", ["0123456789", "abc"]),
      ("0123456789\rx", ["x123456789"]),
      ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
      ("abc\u{8}x", ["abx"]),
      ("\u{1b}[2;3Hx\u{1b}[Ay\u{1b}[2Dz\u{1b}[B\u{1b}[Cw", ["  zy", "  x w"]),
      ("abcdef\u{1b}[1G\u{1b}[2P\u{1b}[3G\u{1b}[2@", ["cd  ef"]),
      ("abcdef\u{1b}[3G\u{1b}[2X\u{1b}[6G\u{1b}[K", ["ab  e"]),
      ("a\r\nb\r\nc\u{1b}[2;1H\u{1b}[L", ["a", "", "b", "c"]),
      ("a\r\nb\r\nc\u{1b}[1;1H\u{1b}[M", ["b", "c"]),
      ("a\r\nb\r\nc\r\nd\u{1b}[2;3r\u{1b}[3;1H\r\n!", ["a", "c", "!", "d"]),
      ("a\r\nb\u{1b}[H\u{1b}Mx", ["x", "a", "b"]),
      ("ab\r\ncd\u{1b}[1;2H\u{1b}[J", ["a"]),
      ("ab\r\ncd\u{1b}[2J\u{1b}[Hx", ["x"]),
      ("a\u{1b}7bc\u{1b}8x", ["axc"]),
      ("-\u{1b}[3b", ["----"]),
      ("\u{1b}(0qx\u{1b}(Bq", ["\u{2500}\u{2502}q"]),
      ("\u{1b}]0;title\u{7}a\u{1b}P1$r\u{1b}\\b", ["ab"]),
      ("\u{1b}[38;5;1mred\u{1b}[0m", ["red"]),
      ("日本x", ["日本x"]), ("e\u{301}é", ["eé"]),
      ("main\u{1b}[?1049hother", ["    other"]),
      ("a\u{1b}[999;999Hb\u{1b}[999Ac", ["a        c", "", "", "         b"]),
    ] as [(String, [String])])
  func aScreenIsDrawn(text: String, rows: [String]) throws {
    #expect(try screen(Array(text.utf8)) == rows)
  }

  @Test func bytesThatAreNoTextAreDrawnAsSigns() throws {
    #expect(try screen([0xff, 0xc3, 0x41, 0xe2, 0x82]) == ["\u{fffd}\u{fffd}A"])
  }

  @Test func noBytesBreakTheScreen() throws {
    var random = SeededRandom(seed: 5)
    let parts = [
      "\u{1b}[", "\u{1b}", ";", "H", "J", "K", "L", "M", "P", "@", "r", "S", "T", "b", "m", "99999",
      "\n", "\r", "\t", "\u{8}", "日", "\u{301}", "7", "8", "c", "?1049h", "D", "E", "(0", "]",
    ].map { Array($0.utf8) }
    for size in [(10, 4), (1, 1), (500, 200), (2, 1)] {
      let bytes = (0..<20_000).flatMap { _ in
        Bool.random(using: &random)
          ? parts.randomElement(using: &random)! : [UInt8.random(in: 0...255, using: &random)]
      }
      #expect(try screen(bytes, .init(columns: size.0, rows: size.1)).count <= size.1)
    }
  }
}

extension Workshop {
  fileprivate func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }
}
