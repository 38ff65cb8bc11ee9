import Foundation
import TestSupport
import Testing

/// `orderfile record` of one program: its streams, its end, its signals, and the files and processes that remain.
@Suite(.needs(.recording)) struct RecordTests {
  @Test(arguments: [
    (["exit", "0"], 0), (["exit", "7"], 7), (["exit", "255"], 255), (["kill", "9"], 137),
    (["kill", "15"], 143), (["abort"], 134),
  ])
  func theExitStatusIsTheProgramsAndTheTraceIsThere(arguments: [String], status: Int) throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(["record", "-o", "t", "--", "./app"] + arguments)
    #expect(run.status == status, "\(run.errors)")
    #expect(
      run.errors.hasPrefix(
        "orderfile: recorded 2 first hits of 4 instrumented functions in 1 image, 0 before main, in "
      ))
    #expect(
      run.errors.hasSuffix(" ms: t; next: orderfile gen t --image RELEASE_IMAGE -o t.order\n"))
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test func whatCantBeRunIsSaid() throws {
    let workshop = try Self.workshop()
    try workshop.write(Array("text".utf8), "plain.txt")
    for (program, reason) in [
      ("./nowhere", "No such file or directory"),
      ("no-such-command-at-all", "No such file or directory"),
      ("./plain.txt", "Permission denied"), (".", "Permission denied"),
    ] {
      let run = try workshop.orderfile("record", "-o", "t", "--", program)
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: \(program): unable to run: \(reason)\n")
      #expect(workshop.fileNames == ["app", "plain.txt"])
    }
  }

  @Test func aProgramWithoutTheRecorderGetsAHint() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile("record", "--", "true")
    #expect(run.status == 4)
    #expect(
      run.errors == """
        orderfile: error: true: nothing was recorded: neither the program nor its libraries have a recorder
          hint: add --breakpoints to record this build as it is, or compile with \
        -fsanitize-coverage=func,trace-pc-guard,pc-table and link orderfile_rt.o

        """)
    let failing = try workshop.orderfile("record", "--", "false")
    #expect(failing.status == 1)
    #expect(failing.errors.hasPrefix("orderfile: warning: false: nothing was recorded: "))
    #expect(workshop.fileNames == ["app"])
  }

  @Test func commandsNeedNoTerminatorAndKeepTheirOwn() throws {
    let workshop = try Self.workshop()
    for arguments in [
      ["./app", "arguments", "--opt", "-o", "--", "x"],
      ["--", "./app", "arguments", "--opt", "-o", "--", "x"],
      ["-o", "t", "./app", "arguments", "--opt", "-o", "--", "x"],
    ] {
      let run = try workshop.orderfile(["record"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.text == "--opt|-o|--|x|")
    }
    #expect(workshop.fileNames == ["app", "app.oftrace", "t"])
  }

  @Test func argumentsThatAreNoTextArriveAsTheyAre() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "/bin/sh", ["-c", "\"$0\" record ./app arguments \"$(printf 'a\\377b')\"", Built.orderfile]
    ).end()
    #expect(run.status == 0 && run.output == [0x61, 0xff, 0x62, 0x7c], "\(run.errors)")
  }

  @Test func optionsOfRecordAreItsOwn() throws {
    let workshop = try Self.workshop()
    let help = try workshop.orderfile("record", "--help")
    #expect(help.status == 0)
    #expect(help.text.contains("$ orderfile record -o app.oftrace -- ./app --help"))
    let version = try workshop.orderfile("record", "--version")
    #expect(version.status == 0 && version.text.hasPrefix("orderfile "))
    let unknown = try workshop.orderfile("record", "--bogus", "--", "./app")
    #expect(unknown.status == 64)
    #expect(unknown.errors.hasPrefix("Error: unknown option '--bogus'\n"))
    for arguments in [["record"], ["record", "--"], ["record", "--timeout", "0", "./app"]] {
      #expect(try workshop.orderfile(arguments).status == 64)
    }
    #expect(workshop.fileNames == ["app"])
  }

  @Test func streamsPassThroughUntouched() throws {
    let workshop = try Self.workshop()
    let binary = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let run = try workshop.orderfile(["record", "-o", "t", "./app", "copy"], input: binary)
    #expect(run.output == binary)
    for script in [
      "printf abc | \"$0\" record -o t ./app copy | cat", "\"$0\" record -o t ./app copy <&-",
      "\"$0\" record -o t ./app exit 0 >&-", "\"$0\" record -o t ./app exit 0 2>&-",
      "\"$0\" record -o t ./app exit 0 <&- >&- 2>&-",
    ] {
      try? FileManager.default.removeItem(atPath: workshop.path("t"))
      let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
      #expect(run.status == 0, "\(script): \(run.errors)")
      #expect(run.text == (script.hasPrefix("printf") ? "abc" : ""))
      #expect(try Self.functions(workshop, in: "t") == ["main", "work"], "\(script)")
    }
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test func aReaderThatGoesAwayStopsNothing() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "/bin/bash",
      [
        "-c", "\"$0\" record -o t ./app exit 3 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}",
        Built.orderfile,
      ]
    ).end()
    #expect(run.text == "3\n")
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test(arguments: ["with blank", "100%", "größe", "%p.%n", "it's"])
  func pathsMayHoldAnything(name: String) throws {
    let workshop = try Self.workshop()
    try workshop.must("mkdir", [name])
    let run = try workshop.orderfile("record", "-o", "\(name)/\(name) trace", "./app", "fork")
    #expect(run.status == 0, "\(run.errors)")
    let quoted = name == "it's" ? "it'\\''s" : name
    #expect(
      run.errors.contains("orderfile gen '\(quoted)/\(quoted) trace' '\(quoted)/\(quoted) trace."))
    #expect(try Self.functions(workshop, in: "\(name)/\(name) trace") == ["main", "work"])
    let files = try FileManager.default.contentsOfDirectory(atPath: workshop.path(name))
    #expect(files.count == 2)
    #expect(files.allSatisfy { $0.hasPrefix("\(name) trace") })
  }

  @Test func anUnwritableOutputIsFoundBeforeTheLaunch() throws {
    let workshop = try Self.workshop()
    try workshop.must("mkdir", ["folder"])
    for (path, reason) in [
      ("missing/t", "No such file or directory"), ("folder", "Is a directory"),
      ("app/t", "Not a directory"),
    ] {
      let run = try workshop.orderfile("record", "-o", path, "./app", "arguments", "ran")
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: \(path): unable to write: \(reason)\n")
      #expect(run.output.isEmpty, "the program was launched")
    }
    let run = try workshop.orderfile("record", "-o", "-", "./app")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        orderfile: error: --output: unable to write the trace to stdout: the program writes its output there
          hint: name a file

        """)
    #expect(workshop.fileNames == ["app", "folder"])
  }

  @Test func marksAndTimeEndTheLaunch() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("record", "-o", "all", "./app", "mark")
    #expect(try Self.functions(workshop, in: "all") == ["main", "work", "late"])
    try workshop.mustOrderfile("record", "-o", "marked", "--stop-at", "ready", "./app", "mark")
    #expect(try Self.functions(workshop, in: "marked") == ["main", "work"])
    let show = try workshop.mustOrderfile("show", "--json", "marked").json
    #expect(show["end"] as? String == "stopped by mark")
    #expect((show["marks"] as? [[String: Any]])?.first?["name"] as? String == "ready")
    try workshop.mustOrderfile("record", "-o", "other", "--stop-at", "elsewhere", "./app", "mark")
    #expect(try Self.functions(workshop, in: "other") == ["main", "work", "late"])
    try withGrowingTime { milliseconds in
      let run = try workshop.orderfile(
        "record", "-o", "timed", "--stop-after", "\(milliseconds)", "./app", "slow",
        "\(milliseconds)")
      if run.status == 4 { return false }  // the launch recorded no function
      #expect(run.status == 0, "\(run.errors)")
      let timed = try Self.functions(workshop, in: "timed")
      #expect(["main", "work"].starts(with: timed))
      return timed.count == 2
    }
  }

  /// A program that ignores SIGTERM, and its child.
  @Test func theTimeLimitEndsTheWholeGroup() throws {
    let workshop = try Self.workshop()
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = Double(milliseconds) / 1000
      let running = try workshop.start(
        Built.orderfile, ["record", "-o", "t", "--timeout", "\(seconds)", "./app", "stubborn"])
      let run = running.endAlone()
      let traces = workshop.fileNames.filter { $0.hasPrefix("t") }
      defer { for trace in traces { unlink(workshop.path(trace)) } }
      #expect(running.leavesNothing(), "the child outlived the time limit")
      #expect(
        run.errors.contains(
          "orderfile: warning: ./app: the program ran longer than \(seconds) s and was ended\n"))
      guard traces.count == 2 else { return false }
      let child = try Self.functions(workshop, in: traces[1])
      guard child == ["in_child"] else { return false }
      #expect(run.status == 137)
      #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
      for trace in traces { #expect(try Self.isSealed(workshop, trace)) }
      return true
    }
  }

  /// With a time limit the program has a process group of its own, which must still have the terminal.
  @Test(.needs("script"), arguments: ["", "--timeout 86400 "])
  func theTerminalIsThePrograms(option: String) throws {
    let workshop = try Self.workshop()
    // script's standard input is open until the program has read it.
    let run = try workshop.start(
      "/bin/sh",
      [
        "-c",
        """
        (printf 'typed\\n\\004'; until test -e done; do sleep 0.01; done) \
          | script -qec "'$0' record -o t \(option)./app copy; echo status $?; touch done" log
        """,
        Built.orderfile,
      ]
    ).end()
    #expect(run.text.contains("typed"), "\(run.text)")
    #expect(run.text.contains("status 0"), "\(run.text)")
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
  }

  @Test(arguments: [[], ["--timeout", "86400"]])
  func interruptingTheGroupStillSealsTheTrace(options: [String]) throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "t"] + options + ["./app", "wait"])
    try running.waitForOutput("waiting")
    running.sendToGroup(SIGINT)
    let run = running.end()
    #expect(run.status == 130)
    #expect(try Self.isSealed(workshop, "t"))
    #expect(workshop.fileNames == ["app", "t"])
  }

  @Test(arguments: [SIGTERM, SIGHUP]) func signalsToTheCommandReachTheProgram(signal: Int32) throws
  {
    let workshop = try Self.workshop()
    let running = try workshop.start(Built.orderfile, ["record", "-o", "t", "./app", "wait"])
    try running.waitForOutput("waiting")
    running.send(signal)
    let run = running.end()
    #expect(run.status == 128 + signal)
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    #expect(workshop.fileNames == ["app", "t"])
  }

  /// The word has a letter in Latin-1, so it is not UTF-8. Converted to text, it would name another file.
  @Test(arguments: ["record -o $N -- ./app", "record -o t -- ./$N", "show $N"])
  func aWordThatIsNotUTF8IsRefusedBeforeAnythingIsRun(words: String) throws {
    let workshop = try Self.workshop()
    let script = "N=$(printf 'd\\351mo'); cp app \"$N\"; exec \"$0\" \(words)"
    let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
    #expect(run.status == 1)
    #expect(
      run.errors.contains("mo: unable to use this argument: expected UTF-8\n  hint: "),
      "\(run.errors)")
    #expect(workshop.fileNames.count == 2)
  }

  @Test func aFolderThatIsNotUTF8IsRefusedBeforeAnythingIsRun() throws {
    let workshop = try Self.workshop()
    let script =
      "N=$(printf 'd\\351mo'); mkdir \"$N\"; cd \"$N\"; exec \"$0\" record -o t -- ../app"
    let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
    #expect(run.status == 1)
    #expect(run.errors.contains("unable to use this path: expected UTF-8"), "\(run.errors)")
  }
}
