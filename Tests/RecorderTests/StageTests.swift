import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct StageTests {
  private func record(
    _ what: String, _ others: [String] = [], flags: [String] = [],
    environment: [String: String] = [:]
  ) throws -> (trace: TraceFile, names: [String]) {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stages/main.c"], flags: ["-O1"] + flags)
    let ended = try workshop.record(program, [what] + others, environment: environment)
    #expect(ended.status == 0 && ended.errors == "")
    let trace = try workshop.trace()
    var names = FunctionNames(workshop)
    return (trace, try names.names(trace))
  }

  @Test func marksComeFromAnyThreadAndFromHandlers() throws {
    let (trace, _) = try record("marks")
    #expect(
      trace.marks
        == ["first screen", "in a thread", "in a handler", String(repeating: "n", count: 255), ""])
    let first = try #require(
      trace.records.firstIndex { $0.event == .mark(name: Array("first screen".utf8)) })
    #expect(
      trace.records[..<first].filter { if case .function = $0.event { true } else { false } }.count
        == 2)
    #expect(trace.header.lastPair.ticks > trace.header.firstPair.ticks)
  }

  @Test func afterStopNothingIsRecorded() throws {
    let (trace, names) = try record("stop")
    #expect(names == ["main", "first"] && trace.marks == [])
    #expect(trace.header.state == .stoppedByCall)
  }

  @Test func aMarkCanBeTheEnd() throws {
    let (trace, names) = try record("marks", environment: ["ORDERFILE_STOP_AT": "in a handler"])
    #expect(names == ["main", "first", "in_thread", "on_signal"])
    #expect(trace.marks.last == "in a handler")
    #expect(trace.header.state == .stoppedByMark)
  }

  @Test func marksTakeNoRoomFromHitsAndCountWhatIsLost() throws {
    let (trace, names) = try record("frames")
    #expect(names == ["main", "second", "third"] && trace.header.lostRecords == 0)
    #expect(trace.marks.count > 300 && trace.marks.count + Int(trace.header.lostMarks) == 2001)
  }

  /// Marks keep the first 255 bytes of their names: only these are compared. A mark for which there is no room ends the
  /// launch, too.
  @Test(arguments: ["marks", "frames"])
  func aLongMarkWithoutRoomCanBeTheEnd(what: String) throws {
    let end = String(repeating: "n", count: 300)
    let (trace, names) = try record(what, environment: ["ORDERFILE_STOP_AT": end])
    #expect(!names.contains("third") && trace.header.state == .stoppedByMark, "\(names)")
  }

  @Test(arguments: [[], ["stop"]])
  func aProgramThatForbidsItselfSystemCallsEndsAsItWould(arguments: [String]) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["stages/confined.c"])
    #expect(try workshop.run(program, arguments).status == 5)
    let ended = try workshop.record(program, arguments)
    #expect(ended.status == 5 && ended.errors == "", "\(ended.errors)")
    var names = FunctionNames(workshop)
    #expect(
      try names.names(try workshop.trace()) == ["main"] + (arguments == [] ? ["late"] : []))
  }

  @Test func timeCanBeTheEnd() throws {
    try withGrowingTime { milliseconds in
      let (trace, names) = try record(
        "sleep", ["\(milliseconds)"], environment: ["ORDERFILE_STOP_AFTER_MS": "\(milliseconds)"])
      #expect(["main", "first"].starts(with: names))
      #expect(trace.header.state == .stoppedByTime)
      return names.count == 2
    }
    let endless = try record(
      "sleep", ["100"], environment: ["ORDERFILE_STOP_AFTER_MS": "99999999999999999999"])
    #expect(endless.names == ["main", "first", "second", "third"])
  }

  @Test func marksAndStopsBeforeMainCount() throws {
    let mark = "-DBEFORE_MAIN=orderfile_mark(\"early\")"
    let marked = try record("", flags: [mark])
    #expect(marked.names == ["in_preinit", "first", "second", "main", "third"])
    #expect(marked.trace.marks == ["early"])

    let ended = try record("", flags: [mark], environment: ["ORDERFILE_STOP_AT": "early"])
    #expect(ended.names == ["in_preinit", "first"])
    #expect(ended.trace.header.state == .stoppedByMark)

    let stopped = try record("", flags: ["-DBEFORE_MAIN=orderfile_stop()"])
    #expect(stopped.names == ["in_preinit", "first"])
    #expect(stopped.trace.header.state == .stoppedByCall)
  }

  @Test func theLoaderNamesWhatItExports() throws {
    func names(_ trace: TraceFile) -> [String] {
      trace.records.compactMap { record in
        if case .name(_, let name) = record.event {
          String(decoding: name, as: UTF8.self)
        } else {
          nil
        }
      }
    }
    let asked = try record("", flags: ["-rdynamic"])
    #expect(names(asked.trace) == ["main", "third"])  // orderfile_write_names()
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["launch/main.c"], flags: ["-O1", "-rdynamic"])
    _ = try workshop.record(program, environment: ["ORDERFILE_NAMES": "dladdr"])
    let trace = try workshop.trace()
    #expect(names(trace) == ["from_resolver", "from_preinit", "main", "from_main"])
    #expect(trace.header.lostRecords == 0)
  }

  @Test(
    arguments: [
      ["clang", "-std=c99"], ["gcc", "-std=c99"], ["clang", "-std=c11"], ["gcc", "-std=gnu89"],
      ["clang++", "-xc++", "-std=c++11"], ["g++", "-xc++", "-std=c++11"],
      ["clang++", "-xc++", "-std=c++20"],
    ].filter { Requirement.tool($0[0]).keepsArguments })
  func theHeaderServesAReleaseBuildWithoutTheRecorder(compiler: [String]) throws {
    let workshop = try Workshop()
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-variadic-macros"]
    for level in ["-O0", "-O2"] {
      let program = workshop.path("program")
      let source = [Workshop.source("header/contract.c"), "-o", program]
      let plain = compiler.dropFirst() + warnings + Workshop.includes + [level]
      try workshop.make(compiler[0], plain + source)
      #expect(try workshop.record(program).status == 0)
      #expect(try workshop.files() == [])
    }
  }
}
