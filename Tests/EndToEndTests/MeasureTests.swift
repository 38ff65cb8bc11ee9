import Foundation
import TestSupport
import Testing

/// `orderfile measure` around real programs, on the real kernel.
@Suite(
  .needs("clang"),
  .needs(.disk))
struct MeasureTests {
  @Test func coldLaunchesAreColdAndWarmOnesAreWarm() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(
      workshop, "--runs", "4", "--control", "--json", "--", "touch", "40")
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.json["schema"] as? String == "orderfile.measure/2")
    let states = Self.sides(run.json)
    for (state, sides) in states {
      #expect(sides.map { $0["name"] as? String } == ["before", "after", "control"])
      for side in sides {
        let isCold = state == "cold"
        #expect(Self.figures(side, "wallNanoseconds").count == 4)
        #expect(Self.figures(side, "exitStatus") == [0, 0, 0, 0])
        #expect(Self.figures(side, "majorFaults").allSatisfy { isCold ? $0 > 0 : $0 == 0 })
        let read = Self.figures(side, "readBytes")
        // The kernel may not count read bytes. If it does, cold and warm launches must differ.
        #expect(read.allSatisfy { isCold ? $0 >= 4096 : $0 == 0 }, "\(state): \(read)")
        let resident = Self.figures(side, "residentPages")
        #expect(resident.count == (isCold ? 4 : 0) && resident.allSatisfy { $0 >= 41 })
      }
    }
    #expect(Set(states.keys) == ["cold", "warm"])
    let first = (run.json["states"] as? [[String: Any]])?.first ?? [:]
    let order = first["order"] as? [String] ?? []
    #expect(order.count == 4)
    #expect(
      order.allSatisfy { $0.split(separator: " ").sorted() == ["after", "before", "control"] })
  }

  /// A warm fault maps the 64 KiB around it: forty windows more are forty faults more, on each
  /// launch.
  @Test(.needs(.faultEvents)) func textFaultsAreThoseOfTheWindowsTouched() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile(
      "measure", "--warm", "--runs", "3", "--json", "--before", "./a touch 10", "--after",
      "./a touch 50")
    let sides = Self.sides(run.json)["warm"] ?? []
    let few = try #require(sides[0]["textFaults"] as? [Int])
    let many = try #require(sides[1]["textFaults"] as? [Int])
    #expect(few.count == 3 && Set(few).count == 1, "\(few)")
    #expect(many == few.map { $0 + 40 }, "\(many) and \(few)")
  }

  @Test func theTableSaysWhatWasMeasuredAndWhere() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(workshop, "--runs", "2", "--", "touch", "5")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    for part in [
      "COLD LAUNCH, MEASURED, 2 OF EACH", "WARM LAUNCH, MEASURED, 2 OF EACH", "  wall, median\n",
      "cold: no significant difference in wall time between after and before in 2 launches of each: ",
      "warm: no significant difference in CPU time between after and before in 2 launches of each: ",
      "warm: precision of the means: before ", "\nmachine: Linux ", "\npages: ",
      "; fault-around ", "/a, ", ", read-ahead ",
      "note: warm: 2 launches of each: with fewer than ", " no difference can be significant\n",
    ] {
      #expect(run.text.contains(part), "no '\(part)' in \(run.text)")
    }
  }

  @Test func theUsualPlanHasEnoughRounds() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(workshop, "--warm", "--json", "--", "exit", "0")
    try #require(run.status == 0, "\(run.errors)")
    let side = Self.sides(run.json)["warm"]?[0] ?? [:]
    #expect((30...100).contains(Self.figures(side, "wallNanoseconds").count))
  }

  /// The processor time shows the difference, whatever other programs on this machine do.
  @Test func twiceTheWorkIsSaidToBeMore() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile(
      "measure", "--warm", "--runs", "30", "--json", "--before", "./a work 1", "--after",
      "./a work 3")
    let states = run.json["states"] as? [[String: Any]] ?? []
    let comparisons = states.first?["comparisons"] as? [[String: Any]] ?? []
    let metrics = comparisons.first?["metrics"] as? [[String: Any]] ?? []
    let cpu = try #require(metrics.first { $0["metric"] as? String == "cpuTime" })
    #expect(cpu["verdict"] as? String == "more", "\(cpu)")
  }

  @Test(.needs(.instructionCounter)) func instructionsAreCountedWhereTheMachineDoes() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(workshop, "--warm", "--runs", "2", "--json", "--", "exit", "0")
    let side = Self.sides(run.json)["warm"]?[0] ?? [:]
    #expect(Self.figures(side, "instructions").filter { $0 > 1000 }.count == 2)
  }

  @Test func precisionDecidesWhenToStop() throws {
    let workshop = try Self.workshop()
    let loose = try Self.measure(
      workshop, "--warm", "--precision", "99%", "--json", "--", "touch", "5")
    try #require(loose.status == 0, "\(loose.errors)")
    let side = Self.sides(loose.json)["warm"]?[0] ?? [:]
    // At least ten launches are made, and more if a launch that takes ten times as long is among them.
    #expect(Self.figures(side, "wallNanoseconds").count >= 10)
    #expect(side["precisionReached"] as? Double ?? 1 <= 0.99)
    let tight = try Self.measure(
      workshop, "--warm", "--precision", "0.0001%", "--runs", "12", "--", "touch", "5")
    #expect(tight.text.contains("WARM LAUNCH, MEASURED, 12 OF EACH"))
    #expect(
      tight.text.contains("; 0.0% was not reached and takes 1000000 launches of each"),
      "\(tight.text)")
  }

  @Test func exportsAreHyperfinesAndComplete() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(
      workshop, "--runs", "2", "--export-hyperfine", "times.json", "-o", "out", "--", "exit", "0")
    #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
    #expect(workshop.text("out").contains("COLD LAUNCH"))
    let value = try JSONSerialization.jsonObject(with: Data(workshop.bytes("times.json")))
    let results = (value as? [String: Any])?["results"] as? [[String: Any]] ?? []
    #expect(
      results.map { $0["command"] as? String } == [
        "./a exit 0 (cold)", "./b exit 0 (cold)", "./a exit 0 (warm)", "./b exit 0 (warm)",
      ])
    #expect(results.allSatisfy { ($0["times"] as? [Double])?.count == 2 })
    for full in [["--export-hyperfine", "/dev/full"], ["-o", "/dev/full"]] {
      let failing = try workshop.orderfile(
        ["measure", "--warm", "--runs", "2", "--before", "./a", "--after", "./b"] + full)
      #expect(failing.status == 1)
      #expect(
        failing.errors == "orderfile: error: /dev/full: unable to write: No space left on device\n")
    }
    let missing = try Self.measure(workshop, "--export-hyperfine", "missing/x", "--", "wait")
    #expect(missing.status == 1, "found before the first launch, which would never end")
    #expect(workshop.text("pids").isEmpty)
  }

  @Test(arguments: [
    (["exit", "3"], "./a: the launch failed: expected exit status 0, found 3"),
    (["kill", "11"], "./a: the launch was killed by signal 11"),
  ])
  func failingLaunchesAreErrorsUnlessTheyAreWanted(arguments: [String], message: String) throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      ["measure", "--before", "./a", "--after", "./b", "--"] + arguments)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors == """
        orderfile: error: \(message)
          hint: to see the output, give --show-output; to measure the failed launch anyway, give --ignore-failure

        """)
    let ignoring = try workshop.orderfile(
      ["measure", "--before", "./a", "--after", "./b", "--warm", "--runs", "2", "--ignore-failure"]
        + ["--json", "--"] + arguments)
    #expect(ignoring.status == 0, "\(ignoring.errors)")
    let side = Self.sides(ignoring.json)["warm"]?[0] ?? [:]
    let key = arguments[0] == "exit" ? "exitStatus" : "signal"
    #expect(Self.figures(side, key).map(String.init) == [arguments[1], arguments[1]])
  }

  @Test func whatCannotBeLaunchedIsNamed() throws {
    let workshop = try Self.workshop()
    try workshop.write(Array("no program\n".utf8), "text")
    try workshop.writeProgram([0x7f, 0x45, 0x4c, 0x46, 0, 0], "broken")
    for (before, message) in [
      ("./missing", "--before: ./missing: unable to run: No such file or directory\n"),
      (
        "no-such-program -x",
        "--before: no-such-program: unable to run: No such file or directory\n"
      ),
      ("", "--before: : missing the program\n"),
      ("text", "--before: ./text: unable to run: Permission denied\n"),
      (
        "./broken",
        "./broken: unable to run: Exec format error\n  hint: is this file an executable image for this machine?\n"
      ),
      (
        "./a | cat",
        "--before: ./a | cat: unsupported '|' in a command: it runs without a shell\n"
          + "  hint: put it in single quotes if it is literal; else use sh -c '…'\n"
      ),
    ] {
      let run = try workshop.orderfile(
        "measure", "--warm", "--before", before, "--after", "./b")
      #expect(run.status == 1)
      #expect(run.errors == "orderfile: error: \(message)")
    }
    let input = try Self.measure(workshop, "--warm", "--input", "nowhere")
    #expect(input.status == 1)
    #expect(input.errors == "orderfile: error: nowhere: No such file or directory\n")
  }

  @Test func endlessLaunchesAreEnded() throws {
    let workshop = try Self.workshop()
    for what in ["wait", "stubborn"] {
      try workshop.write([], "pids")
      try withGrowingTime { milliseconds in
        let seconds = Double(milliseconds) / 1000
        let running = try workshop.start(
          Built.orderfile,
          ["measure", "--before", "./a", "--after", "./b", "--warm", "--timeout", "\(seconds)"]
            + ["--", what])
        let run = running.endAlone()
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(
          run.errors
            == "orderfile: error: ./a: the program ran longer than \(seconds) s and was ended\n")
        #expect(running.leavesNothing())
        return Self.noted(workshop) > 1
      }
    }
  }

  @Test func whatALaunchLeavesBehindIsEnded() throws {
    let workshop = try Self.workshop()
    for arguments in [["leave"], ["leave", "its session"]] {
      let running = try workshop.start(
        Built.orderfile,
        ["measure", "--runs", "2", "--before", "./a", "--after", "./b", "--"] + arguments)
      let run = running.endAlone()
      #expect(run.status == 0, "a process that has the image mapped: \(run.errors)")
      #expect(running.leavesNothing() && Self.noted(workshop) > 1)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["wait", "stubborn"])
  func interruptsLeaveNothingBehind(signal: Int32, what: String) throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile, ["measure", "--warm", "--before", "./a", "--after", "./b", "--", what])
    try running.wait(for: "two processes") { Self.noted(workshop) == 2 }
    running.send(signal)
    let run = running.endAlone()
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errors == "orderfile: error: interrupted\n")
    #expect(running.leavesNothing())
  }

  /// If the command is killed, only the kernel can end the program.
  @Test func theProgramEndsWithACommandThatIsKilled() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile,
      ["measure", "--warm", "--before", "sleep infinity", "--after", "sleep infinity"])
    try running.wait(for: "the program") { running.family.count == 2 }
    running.send(SIGKILL)
    #expect(running.endAlone().status == 128 + SIGKILL)
    #expect(running.leavesNothing())
  }

  /// The rounds that were complete before the interrupt are reported.
  @Test func anInterruptKeepsWholeRounds() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile,
      ["measure", "--warm", "--runs", "1000000", "--before", "./a leave", "--after", "./b leave"])
    try running.wait(for: "twelve launches") { Self.noted(workshop) >= 12 }
    running.send(SIGINT)
    let run = running.endAlone()
    #expect(run.status == 1)
    #expect(
      run.errors
        == "orderfile: error: interrupted: the result covers the launches so far\n")
    #expect(run.text.contains("WARM LAUNCH, MEASURED, "))
    #expect(running.leavesNothing())
  }

  @Test func gigabytesOfOutputGoNowhere() throws {
    let workshop = try Self.workshop()
    let run = try Self.measure(workshop, "--warm", "--runs", "2", "--", "flood")
    #expect(run.status == 0 && run.output.count < 5000, "\(run.errors)")
    let silent = try Self.measure(workshop, "--warm", "--runs", "2", "--", "say")
    #expect(silent.status == 0 && silent.errors.isEmpty)
    let shown = try Self.measure(
      workshop, "--warm", "--runs", "2", "--show-output", "--json", "--", "say")
    #expect(shown.errors.hasPrefix("said\nsaid\nsaid\nsaid\n"))
    #expect(shown.json["schema"] != nil, "and stdout has the result alone")
  }

  @Test func argumentsAndInputArriveAsTheyAre() throws {
    let workshop = try Self.workshop()
    let byte = try workshop.start(
      "/bin/sh",
      [
        "-c",
        "\"$0\" measure --warm --runs 2 --before ./a --after ./b -- byte \"$(printf '\\377')\"",
        Built.orderfile,
      ]
    ).end()
    #expect(byte.status == 0, "\(byte.errors)")
    try workshop.write(Array("xyz".utf8), "text")
    let input = try Self.measure(
      workshop, "--warm", "--runs", "2", "--input", "text", "--", "input", "x")
    #expect(input.status == 0, "\(input.errors)")
    // The programs do not get the standard input of `measure`.
    let empty = try workshop.orderfile(
      [
        "measure", "--warm", "--runs", "2", "--before", "'./a'  input", "--after", "./b \"input\"",
      ], input: Array("xyz".utf8))
    #expect(empty.status == 0, "\(empty.errors)")
  }

  @Test func scriptsAreMeasuredWithTheImageThatIsNamed() throws {
    let workshop = try Self.workshop()
    try workshop.writeProgram("#!/bin/sh\nexec ./a touch 20\n".utf8, "script")
    let run = try workshop.orderfile(
      "measure", "--runs", "2", "--json", "--also", "./a", "--before", "script", "--after",
      "./a touch 20")
    #expect(run.status == 0)
    #expect(
      run.errors == """
        orderfile: warning: ./script: this is a script: the program that it runs is measured, but \
        neither evicted nor examined
          hint: name the image with --also

        """)
    let sides = Self.sides(run.json)["warm"] ?? []
    let (first, second) = (
      sides[0]["textFaults"] as? [Int] ?? [], sides[1]["textFaults"] as? [Int] ?? []
    )
    #expect(first == second, "the image's own, whoever runs it")
  }

  @Test(.needs(.sharedMemory))
  func memoryIsNeverCold() throws {
    let workshop = try Self.workshop()
    let memory = try Workshop(in: "/dev/shm")
    try memory.must("cp", [workshop.path("a"), "a"])
    let run = try memory.orderfile("measure", "--before", "./a", "--after", "./a")
    #expect(run.status == 1)
    #expect(
      run.errors.hasSuffix(
        "/a: unable to launch this image cold: it is on an in-memory file system\n"
          + "  hint: copy the image to a disk\n"))
    let warm = try memory.orderfile(
      "measure", "--warm", "--runs", "2", "--before", "./a", "--after", "./a")
    #expect(warm.status == 0 && warm.text.contains(" on tmpfs ("), "\(warm.errors)")
  }

  /// Another process that runs the image keeps it in memory.
  @Test func anImageThatRunsElsewhereIsNotSaidToBeCold() throws {
    let workshop = try Self.workshop()
    let other = try workshop.start(workshop.path("b"), ["wait"])
    try other.wait(for: "two processes") { Self.noted(workshop) == 2 }
    let run = try Self.measure(workshop, "--cold", "--runs", "2", "--", "exit", "0")
    other.stop()
    #expect(run.status == 1)
    #expect(
      run.errors.contains("/b: unable to evict the image: expected 0 of its "), "\(run.errors)")
    #expect(run.errors.contains("hint: a process that maps the image keeps it in memory"))
  }

  /// A filter like that of a container, which refuses perf_event_open.
  @Test func refusedFaultsAreSaidAndTheRestIsMeasured() throws {
    let workshop = try Self.workshop()
    try FaultCounter.buildRefuser(in: workshop)
    let run = try workshop.start(
      workshop.path("refuser"),
      [Built.orderfile, "measure", "--warm", "--runs", "2", "--before", "./a", "--after", "./b"]
    ).end()
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(
      run.text.contains(
        "note: warm: faults on text were not counted: perf_event_open: Operation not permitted\n"),
      "\(run.text)")
    #expect(!run.text.contains("faults on the images' text"))
  }

  @Test func wrongUseIsExplained() throws {
    let workshop = try Self.workshop()
    for (arguments, message) in [
      (["--before", "./a"], "Error: Missing expected argument '--after <B>'"),
      (["--before", "./a", "--after", "./b", "--runs", "1"], "invalid --runs: expected 2 to"),
      (["--before", "./a", "--after", "./b", "--precision", "0"], "invalid --precision: expected"),
      (["--before", "./a", "--after", "./b", "--timeout", "0"], "invalid --timeout: expected"),
      (
        ["--before", "./a", "--after", "./b", "--warm", "--drop-caches"],
        "--drop-caches affects cold launches only: it can't be used with --warm"
      ),
      (["--before", "./a", "--after", "./b", "touch", "5"], "unexpected argument"),
    ] {
      let run = try workshop.orderfile(["measure"] + arguments)
      #expect(run.status == 64)
      #expect(run.errors.lowercased().contains(message.lowercased()), "\(run.errors)")
    }
  }

  @Test(.needs("script"))
  func progressIsShownOnATerminalAlone() throws {
    let workshop = try Self.workshop()
    let command = "'\(Built.orderfile)' measure --warm --before ./a --after ./b"
    func onTerminal(_ options: String, _ term: String, noColour: String = "") throws -> String {
      try workshop.start(
        "script", ["-qec", "\(command) \(options)", "/dev/null"],
        environment: ["TERM": term, "NO_COLOR": noColour]
      ).end().text
    }
    let bar = try onTerminal("--runs 2 -- touch 5", "xterm")
    #expect(bar.contains("\r\u{1b}[Kwarm, 0 s: ["), "\(bar)")
    #expect(try !onTerminal("--runs 2 -- touch 5", "dumb").contains("\u{1b}["))
    #expect(try !onTerminal("--runs 2 -- touch 5", "xterm", noColour: "1").contains("\u{1b}["))
    #expect(try !onTerminal("--runs 2 --json -- touch 5", "xterm").contains("\u{1b}["))
    let piped = try Self.measure(workshop, "--warm", "--runs", "2", "--", "touch", "5")
    #expect(piped.errors.isEmpty)
  }
}
