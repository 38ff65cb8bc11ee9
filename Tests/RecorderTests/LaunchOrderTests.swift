import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct LaunchOrderTests {
  static let order = [
    "from_resolver", "in_preinit", "from_preinit", "first_constructor", "constructor", "main",
    "on_signal", "chosen", "from_main",
  ]

  @Test(arguments: [
    ["-O1"], ["-O0"], ["-O2", "-fno-pic", "-no-pie"], ["-O1", "-static"], ["-O1", "-static-pie"],
    ["-O2", "-flto"], ["-O2", "-flto=thin"],
  ])
  func everyFunctionOnceInItsOrder(flags: [String]) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["launch/main.c"], flags: flags)
    let ended = try workshop.record(program)
    #expect(ended.status == 0 && ended.errors == "")
    let trace = try workshop.trace()
    var names = FunctionNames(workshop)
    #expect(try names.names(trace) == Self.order + ["last_destructor"])
    #expect(trace.header.lostRecords == 0 && trace.inFlightRecords == 0)
    #expect(trace.header.state == .recording)
  }

  @Test(
    arguments: [("_exit", 0), ("abort", 134), ("segv", 139), ("kill", 137)] as [(String, Int32)])
  func whatWasRecordedSurvivesEachEnd(end: String, status: Int32) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["launch/main.c"])
    #expect(try workshop.record(program, [end]).status == status)
    var names = FunctionNames(workshop)
    #expect(try names.names(try workshop.trace()) == Self.order)
  }

  @Test func aProgramWhoseFirstThreadIsGoneIsStillAlive() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["launch/main.c"])
    #expect(try workshop.record(program, ["thread"]).status == 0)
    var names = FunctionNames(workshop)
    #expect(try names.names(try workshop.trace()) == Self.order + ["at_the_end"])
  }

  /// musl's loader names the program as it was launched, and a static program is named "/proc/self/exe".
  @Test(.needs("musl-gcc"), arguments: [[], ["-static"], ["-static-pie"]])
  func withMuslTheProgramIsKnownByItsPath(flags: [String]) throws {
    let workshop = try Workshop()
    let object = workshop.path("program.o")
    try workshop.make(
      "clang",
      Workshop.instrumented
        + ["-O1", "-g0", "-fPIC", "-c", Workshop.source("launch/tail.c"), "-o", object])
    let program = workshop.path("program")
    try workshop.make("musl-gcc", flags + [object, try Workshop.runtime.get(), "-o", program])
    let ended = try workshop.record("/bin/sh", ["-c", "exec ./program"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let trace = try workshop.trace()
    #expect(trace.loads.map(\.path) == [program])
    #expect(!trace.records.contains { if case .unload = $0.event { true } else { false } })
    var names = FunctionNames(workshop)
    #expect(try names.names(trace) == ["main", "first_empty", "second_empty"])
  }

  @Test func signalsAndASecondThreadInTheLoaderStopNothing() throws {
    let workshop = try Workshop()
    let library = try workshop.build(
      "liba.so", from: ["plugins/plugin.c"], flags: ["-O1", "-shared", "-DNAME=a"], recorder: nil)
    let program = try workshop.build(
      "program", from: ["launch/interrupted.c"], flags: ["-O1", "-rdynamic"], links: ["-ldl"])
    let ended = try workshop.record(program, [library])
    #expect(ended.status == 0 && ended.errors == "")
    let trace = try workshop.trace()
    #expect(trace.loads.count == 201 && trace.header.lostRecords == 0)
    #expect(trace.inFlightRecords == 0)
  }

  @Test(arguments: ["-flto", "-flto=thin"])
  func underLTOTheEntryNamesAFunctionWhoseCallbackIsAJump(flag: String) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["launch/tail.c"], flags: ["-O2", flag])
    #expect(try workshop.record(program).status == 0)
    var names = FunctionNames(workshop)
    let hits = try names.hits(try workshop.trace())
    #expect(hits.map(\.name) == ["main", "first_empty", "second_empty"])
    #expect(hits.map(\.body) == ["main", "main", "main"])
  }

  @Test func aMergedSwiftFunctionIsNamedByItsGuardAndItsBodyByTheReturnAddress() throws {
    let workshop = try Workshop()
    let object = workshop.path("merged.o")
    try workshop.make(
      "swiftc",
      ["-O", "-module-name", "merged", "-emit-object", Workshop.source("swift/merged.swift"), "-o"]
        + [object, "-module-cache-path", workshop.path("modules")]
        + ["-sanitize=fuzzer", "-sanitize-coverage=func,trace-pc-guard,pc-table"]
        .flatMap { ["-Xfrontend", $0] })
    let program = workshop.path("program")
    try workshop.make(
      "swiftc", ["-use-ld=lld", object, try Workshop.runtime.get(), "-o", program])
    #expect(try workshop.record(program).status == 0)
    var names = FunctionNames(workshop)
    let hits = try names.hits(try workshop.trace())
    #expect(
      hits.first { $0.name == "$s6merged9makeFirstySayAA0C0CGSiF" }?.body
        == "$s6merged9makeFirstySayAA0C0CGSiFTm")
    #expect(
      hits.first { $0.name == "$s6merged10makeSecondySayAA0C0CGSiF" }?.body
        == "$s6merged9makeFirstySayAA0C0CGSiFTm")
    #expect(hits.first?.name == "main")
  }
}
