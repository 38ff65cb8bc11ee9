import Foundation
import TestSupport
import Testing

/// The command as a shell user sees it: streams, exit codes, JSON, terminals.
@Suite(.needs(.recording)) struct CommandLineTests {
  /// A folder with two layouts, their maps, a trace and an order file.
  static func workshop() throws -> Workshop { try made.copy() }

  private static let made = PreparedFolder<Workshop> { try $0.check(LaunchToLayoutTests.plain) }

  static let reports = [
    ["show", "app.oftrace"], ["show", "app"], ["show", "app.map"], ["show", "app.order"],
    ["diff", "app", "ordered", "--trace", "app.oftrace", "--order", "app.order"],
    ["diff", "app.map", "ordered", "--order", "app.order"],
    ["gen", "app.oftrace", "--image", "app", "-o", "again.order"],
  ]

  @Test func eachReportIsJSONWithSortedKeysAndASchema() throws {
    let workshop = try Self.workshop()
    let schemas = try Self.reports.map { arguments in
      let run = try workshop.orderfile(arguments + ["--json"])
      #expect(run.status == 0)
      if let python = toolPath("python3") {
        let parsed = try workshop.start(
          python, ["-m", "json.tool", "--sort-keys"], input: run.output
        ).end()
        let asItIs = try workshop.start(python, ["-m", "json.tool"], input: run.output).end()
        #expect(parsed.status == 0 && parsed.output == asItIs.output, "\(arguments): not sorted")
      }
      return run.json["schema"] as? String
    }
    #expect(
      schemas == [
        "orderfile.trace/1", "orderfile.image/1", "orderfile.linkmap/1", "orderfile.orderfile/1",
        "orderfile.diff/3", "orderfile.diff/3", "orderfile.gen/2",
      ])
  }

  @Test func diffHasTheKeysThatScriptsCountOn() throws {
    let workshop = try Self.workshop()
    let json = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "app.oftrace", "--order", "app.order", "--json",
      "--page-size", "16k"
    ).json
    #expect(json["pageSizeBytes"] as? Int == 16_384)
    #expect(json["startupFunctions"] as? Int == 5)
    #expect(json["startupBytes"] as? Int ?? 0 > 0)
    #expect(json["floorPages"] as? Int == 1)
    let pages = json["textPages"] as? [String: Any] ?? [:]
    #expect(pages["before"] is Int && pages["after"] is Int && pages["saved"] is Int)
    let order = json["order"] as? [String: Any] ?? [:]
    #expect(order["entries"] is Int && order["present"] is Int && order["inOrder"] is Int)
    #expect(json["missing"] is [[String: Any]])

    try workshop.write(Array("main\nno_such_function\n".utf8), "short.order")
    let missing = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--order", "short.order", "--json")
    let entries = missing.json["missing"] as? [[String: Any]] ?? []
    #expect(entries.compactMap { $0["name"] as? String } == ["no_such_function"])
    #expect(entries.allSatisfy { $0["reason"] is String })
    let traceOnly = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "app.oftrace", "--json")
    #expect(traceOnly.json["order"] == nil)
  }

  /// A function for which a dialect has several lines is still one startup function.
  @Test(arguments: OrderingLinker.installed)
  func anOrderFileOfAnyDialectIsAStartupSet(linker: OrderingLinker) throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "app", "--linker", linker.format, "-o", "x.order")
    let diff = try workshop.mustOrderfile("diff", "app", "app", "--order", "x.order", "--json")
    // The startup functions are the five that ran and, if the dialect names symbols, the C runtime's initializer.
    #expect(diff.json["startupFunctions"] as? Int == (linker.format == "lld" ? 6 : 5))
    #expect((diff.json["missing"] as? [Any])?.isEmpty == true)
    let show = try workshop.mustOrderfile("show", "--json", "x.order").json
    let names = (show["entries"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    #expect(names.contains(linker.format == "lld" ? "main" : ".text.main"))
  }

  @Test func pageSizesCostAndGateAreTheUsers() throws {
    let workshop = try Self.workshop()
    for (size, bytes) in [("4k", 4096), ("16k", 16_384), ("64k", 65_536)] {
      let run = try workshop.mustOrderfile(
        "diff", "app", "ordered", "--order", "app.order", "--json", "--page-size", size)
      #expect(run.json["pageSizeBytes"] as? Int == bytes)
    }
    let cost = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--order", "app.order", "--cost-ms", "0.25")
    #expect(cost.text.contains("(--cost-ms)"))
    let none = try workshop.mustOrderfile("diff", "app", "ordered", "--order", "app.order")
    #expect(!none.text.contains(" ms"), "nobody has measured it: \(none.text)")
    let passes = try workshop.orderfile(
      "diff", "app", "ordered", "--order", "app.order", "--limit", "diff.predictedPagesAtMost<=9")
    #expect(passes.status == 0)
    let fails = try workshop.orderfile(
      "diff", "app", "ordered", "--order", "app.order", "--limit", "diff.predictedPagesAtMost<=0")
    #expect(fails.status == 2)
    #expect(fails.output == passes.output, "the report is complete")
    #expect(
      fails.errors.hasSuffix(
        "orderfile: error: ordered: diff.predictedPagesAtMost of ordered, 4 KiB pages: expected at most 0, found 1\n"
          + "  hint: record again: the trace is from an older build\n"))
  }

  /// Notes, warnings and progress are on standard error; results, errors and the exit status stay.
  @Test func quietLeavesResultsErrorsAndTheExitStatus() throws {
    let workshop = try Self.workshop()
    try workshop.write(Array("main\nno_such_function\n".utf8), "short.order")
    try workshop.write(workshop.bytes("app.oftrace").prefix(100), "short")
    for arguments in Self.reports + [
      [
        "diff", "app", "ordered", "--trace", "app.oftrace", "--order", "app.order", "--limit",
        "diff.predictedPagesAtMost<=0",
      ],
      ["diff", "app.map", "ordered", "--order", "short.order"],
      ["gen", "short", "app.oftrace", "--image", "app", "--keep-going"],
      ["import", "symbols", "short.order", "--image", "app", "-o", "imported.oftrace"],
      ["record", "-o", "again.oftrace", "--", "./app"], ["record", "-o", "x", "--", "true"],
      ["show", "nowhere"], ["init", "--print", "xcode", "-o", "settings"],
    ] {
      let loud = try workshop.orderfile(arguments)
      let words = arguments.firstIndex(of: "--") ?? arguments.count
      let quiet = try workshop.orderfile(arguments[..<words] + ["--quiet"] + arguments[words...])
      #expect(quiet.status == loud.status && quiet.output == loud.output, "\(arguments)")
      let errors = loud.errors.range(of: "orderfile: error: ").map { loud.errors[$0.lowerBound...] }
      #expect(quiet.errors == errors ?? "", "\(arguments)")
    }
  }

  @Test func eachExitCodeIsReached() throws {
    let workshop = try Self.workshop()
    try workshop.write(Array("not a trace".utf8), "text")
    for (arguments, status) in [
      (["show", "app"], 0), (["gen", "text"], 1), (["show", "nowhere"], 1),
      (
        [
          "diff", "app", "ordered", "--order", "app.order", "--limit",
          "diff.predictedPagesAtMost<=0",
        ], 2
      ),
      (["gen", "app.oftrace", "--recorded", "app"], 3), (["record", "-o", "x", "--", "true"], 4),
      ([], 0), (["bogus"], 64), (["gen"], 64), (["diff", "app", "ordered"], 64),
      (["gen", "app.oftrace", "--linker", "bogus"], 64),
      (["gen", "app.oftrace", "--strategy", "bogus"], 64), (["gen", "app.oftrace", "--json"], 64),
      (["--version"], 0), (["--help"], 0), (["help", "gen"], 0),
      (["help", "bogus"], 64), (["show", "text"], 1),
    ] {
      let run = try workshop.orderfile(arguments)
      #expect(Int(run.status) == status, "\(arguments): \(run.errors)")
      if status != 0 { #expect(run.output.isEmpty || status == 2, "\(arguments)") }
    }
    let version = try workshop.mustOrderfile("--version").text
    for line in ["trace format ", "orderfile.diff/"] { #expect(version.contains("\n\(line)")) }
  }

  /// The tests run in the repository, so the commit is known.
  @Test func theVersionStatesTheCommit() throws {
    let first = try Workshop().mustOrderfile("--version").text.prefix { $0 != "\n" }
    let form = /orderfile \d+\.\d+\.\d+ \([0-9a-f]{12}(-modified)?\)/
    #expect(first.wholeMatch(of: form) != nil, "\(first)")
  }

  /// Swift reads the command line from /proc.
  @Test(.needs(.mounting)) func withoutProcCommandsSayWhy() throws {
    let workshop = try Workshop()
    let run = try workshop.start(
      "unshare",
      ["-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" show app", Built.orderfile]
    ).end()
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors
        == "orderfile: error: /proc/self/cmdline: unable to read the arguments of this command\n  hint: mount /proc\n"
    )
  }

  @Test(arguments: ["record", "gen", "diff", "pages", "measure", "refine", "show"])
  func helpOpensWithTwoExamples(
    command: String
  )
    throws
  {
    let workshop = try Workshop()
    let help = try workshop.mustOrderfile(command, "--help").text
    let examples = help.components(separatedBy: "USAGE:")[0].components(
      separatedBy: "$ orderfile \(command) ")
    #expect(examples.count == 3)
    #expect(
      help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE:") }, "\(help)"
    )
  }

  @Test func damagedTracesAreRefusedWithThePlace() throws {
    let workshop = try Self.workshop()
    let trace = workshop.bytes("app.oftrace")
    try workshop.write(trace.prefix(100), "short")
    try workshop.write(trace.dropLast(), "cut")
    try workshop.write([], "empty")
    for (name, message) in [
      ("short", "the trace ends early, at byte 100\n"),
      ("cut", "the trace ends early, at byte \(trace.count - 1)\n"),
      ("empty", "not a trace: found an empty file\n"),
      ("app", "not a trace: found an image or an object file\n"),
      ("app.map", "not a trace: found a link map of ld.lld\n"),
      ("app.order", "not a trace: found text\n"),
    ] {
      let run = try workshop.orderfile("gen", name)
      #expect(run.status == 1)
      #expect(run.errors.hasPrefix("orderfile: error: \(name): \(message)"), "\(run.errors)")
      #expect(run.errors.contains("\n  hint: "), "\(run.errors)")
    }
  }

  @Test func damagedTracesAmongManyAreNamedAndCanBeLeftOut() throws {
    let workshop = try Self.workshop()
    try workshop.write(workshop.bytes("app.oftrace").prefix(100), "short")
    try workshop.write([], "empty")
    for command in [
      ["gen", "short", "app.oftrace", "empty", "--image", "app"],
      [
        "diff", "app", "ordered", "--trace", "short", "--trace", "app.oftrace", "--trace", "empty",
      ],
    ] {
      let refused = try workshop.orderfile(command)
      #expect(refused.status == 1 && refused.output.isEmpty)
      #expect(
        refused.errors.hasPrefix("orderfile: error: empty: not a trace: found an empty file"),
        "\(refused.errors)")
      #expect(
        refused.errors.contains("1 more file can't be read: short\n  hint: give --keep-going"))
      let run = try workshop.orderfile(command + ["--keep-going"])
      #expect(run.status == 0)
      for message in ["short: left out: the trace ends early", "empty: left out: not a trace"] {
        #expect(run.errors.contains("orderfile: warning: \(message)"), "\(run.errors)")
      }
    }
    let none = try workshop.orderfile("gen", "short", "empty", "--keep-going")
    #expect(none.status == 1 && none.errors.contains("error: empty: not a trace"))
    let missing = try workshop.orderfile("gen", "app.oftrace", "nowhere", "--keep-going")
    #expect(missing.status == 0 && missing.errors.contains("warning: nowhere: left out: "))
  }

  @Test func aReaderThatHasSeenEnoughIsNoError() throws {
    let workshop = try Self.workshop()
    // The output has more bytes than a pipe holds.
    let symbols = (0..<20_000).map { "function_\($0)\n" }.joined()
    try workshop.write(Array(symbols.utf8), "long.order")
    for command in ["show long.order", "show --json long.order", "show app.oftrace"] {
      let run = try workshop.start(
        "/bin/bash", ["-c", "\"$0\" \(command) | head -1; echo ${PIPESTATUS[0]}", Built.orderfile]
      ).end()
      #expect(run.errors.isEmpty)
      #expect(run.text.hasSuffix("\n0\n"), "\(run.text)")
    }
    // A closed pipe does not hide that a check failed.
    let gate = try workshop.start(
      "/bin/bash",
      [
        "-c",
        "\"$0\" diff app app --order app.order --limit 'diff.predictedPagesAtMost<=0' 2>/dev/null | true; echo ${PIPESTATUS[0]}",
        Built.orderfile,
      ]
    ).end()
    #expect(gate.text == "2\n")
    let full = try workshop.start("/bin/sh", ["-c", "\"$0\" show app >/dev/full", Built.orderfile])
      .end()
    #expect(full.status == 1)
    #expect(full.errors == "orderfile: error: stdout: unable to write: No space left on device\n")
  }

  @Test func aClosedStreamIsAnErrorAndNoFilesNumber() throws {
    let workshop = try Self.workshop()
    let order = workshop.bytes("app.order")
    let run = try workshop.start(
      "/bin/sh",
      ["-c", "\"$0\" gen app.oftrace --image app --json -o app.order <&- >&-", Built.orderfile]
    ).end()
    #expect(run.status == 1)
    #expect(run.errors == "orderfile: error: stdout: unable to write: Bad file descriptor\n")
    #expect(workshop.bytes("app.order") == order)
  }

  @Test func standardInputAndOutputAreFilesToo() throws {
    let workshop = try Self.workshop()
    for file in ["app", "app.oftrace", "app.map", "app.order"] {
      let named = try workshop.mustOrderfile("show", "--json", file).json
      for script in ["\"$0\" show --json - < \(file)", "cat \(file) | \"$0\" show --json -"] {
        let run = try workshop.start("/bin/sh", ["-c", script, Built.orderfile]).end()
        #expect(run.status == 0, "\(script): \(run.errors)")
        #expect(run.json["schema"] as? String == named["schema"] as? String)
        #expect(run.json["path"] as? String == "-")
      }
    }
    let piped = try workshop.start(
      "/bin/sh", ["-c", "cat app.oftrace | \"$0\" gen - --image app -o -", Built.orderfile]
    ).end()
    #expect(piped.output == workshop.bytes("app.order"))
  }

  @Test func outputsAreReplacedOnlyWhenComplete() throws {
    let workshop = try Self.workshop()
    let before = workshop.bytes("app.order")
    try workshop.must("cp", ["app.order", "kept"])
    let failing = try workshop.orderfile(
      "gen", "app.oftrace", "--image", "app.oftrace", "-o", "kept")
    #expect(failing.status == 1)
    #expect(workshop.bytes("kept") == before)
    let missing = try workshop.orderfile("gen", "nowhere", "-o", "missing/x")
    #expect(
      missing.errors == "orderfile: error: missing/x: unable to write: No such file or directory\n")
    #expect(!workshop.fileNames.contains { $0.hasPrefix("kept.") })
  }

  @Test(.needs("script")) func nothingIsColouredButOnATerminal() throws {
    let workshop = try Self.workshop()
    let escape = "\u{1b}["
    let plain = try workshop.orderfile("show", "nowhere")
    #expect(!plain.errors.contains(escape))
    func onTerminal(_ command: String, _ environment: [String: String]) throws -> String {
      try workshop.start(
        "script", ["-qec", "'\(Built.orderfile)' \(command)", "/dev/null"],
        environment: environment.merging(["TERM": "xterm", "NO_COLOR": ""]) { given, _ in given }
      ).end().text
    }
    let coloured = try onTerminal("show nowhere", [:])
    #expect(coloured.contains("\(escape)1;31merror:"), "\(coloured)")
    #expect(try !onTerminal("show nowhere", ["NO_COLOR": "1"]).contains(escape))
    #expect(try !onTerminal("show nowhere", ["TERM": "dumb"]).contains(escape))
    #expect(try !onTerminal("show --json app.order", [:]).contains(escape))
    // A name from a file can't speak to the terminal.
    try workshop.write(Array("main\nodd\u{1b}[31mname\n".utf8), "odd.order")
    #expect(try !onTerminal("show odd.order", [:]).contains(escape))
    #expect(try !onTerminal("show 'no\u{1b}[31mwhere'", ["NO_COLOR": "1"]).contains(escape))
  }

  @Test func namesAreShownAsAskedAndKeptInJSON() throws {
    let workshop = try Workshop()
    try workshop.write(
      Array("_ZN7DerivedC2Ev\n$s7Library12libraryFirstyS2iF\n_RNvC1a4main\n".utf8), "x.order")
    func names(_ mode: String) throws -> String {
      try workshop.mustOrderfile("show", "x.order", "--demangle", mode).text
    }
    #expect(try names("none").contains("_ZN7DerivedC2Ev"))
    #expect(
      try names("short").contains("Derived.Derived") || names("short").contains("Derived::Derived"))
    #expect(try names("full").contains("Derived::Derived()"))
    #expect(try names("full").contains("libraryFirst(Swift.Int) -> Swift.Int"))
    #expect(try names("full").contains("a::main"))
    let json = try workshop.mustOrderfile("show", "x.order", "--json", "--demangle", "full").json
    let entries = json["entries"] as? [[String: Any]] ?? []
    #expect(entries.first?["name"] as? String == "_ZN7DerivedC2Ev")
    #expect(entries.first?["demangledName"] as? String == "Derived::Derived()")
  }
}
