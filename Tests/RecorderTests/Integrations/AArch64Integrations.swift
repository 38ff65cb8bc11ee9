import Foundation
import TestSupport
import Testing
import TraceFormat

/// Runs the recorder, cross-compiled for aarch64, in user-mode emulation, and checks what `docs/DESIGN.md` and
/// `orderfile_runtime.h` promise.
@Suite(.needs("aarch64-linux-gnu-gcc", "qemu-aarch64"))
struct AArch64Integrations {
  static let target = [
    "--target=aarch64-linux-gnu", "--gcc-toolchain=/usr", "--sysroot=/usr/aarch64-linux-gnu",
    "-I/usr/aarch64-linux-gnu/include",
  ]
  private static let recorderFlags = ["-O2", "-moutline-atomics", "-Wall", "-Wextra", "-Werror"]

  /// A folder in which programs and libraries are linked with the recorder.
  private struct Stage {
    let workshop: Workshop
    /// The recorder's object files, to be linked into the program.
    let recorder: [String]

    /// Uses the recorder that clang compiles, which is built once for all tests.
    init() throws {
      workshop = try Workshop()
      recorder = [try Self.recorder.get().object]
    }

    init(recorderBy compiler: [String]) throws {
      workshop = try Workshop()
      recorder = try workshop.compileRecorder(
        compiler[0], flags: compiler.dropFirst() + recorderFlags)
    }

    private static let recorder = Result {
      let workshop = try Workshop()
      let object = try workshop.compileWholeRecorder(
        "clang", flags: target + recorderFlags + ["-Wno-unused-function"])
      return (workshop: workshop, object: object)
    }

    func build(
      _ name: String, _ source: String, _ flags: [String] = [],
      coverage: [String] = Workshop.instrumented, links: [String] = []
    ) throws -> String {
      let object = workshop.path("\(name).o")
      try workshop.make(
        "clang",
        target + coverage + flags + Workshop.includes
          + ["-O1", "-fPIC", "-c", Workshop.source(source), "-o", object])
      try workshop.make(
        "aarch64-linux-gnu-gcc",
        [object] + recorder + ["-pthread"] + links + ["-o", workshop.path(name)])
      return workshop.path(name)
    }

    func record(
      _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Run {
      try workshop.record(
        "qemu-aarch64", ["-L", "/usr/aarch64-linux-gnu", program] + arguments,
        environment: environment)
    }

    /// The names of the recorded functions, without those of the C library's startup code.
    func names(_ trace: String = "trace") throws -> [String] {
      var names = FunctionNames(workshop)
      return try names.names(workshop.trace(trace)).filter { $0 != "_init" }
    }
  }

  @Test(arguments: [["clang"] + target, ["aarch64-linux-gnu-gcc"]])
  func everyFunctionOnceInItsOrderHoweverTheProgramEnds(compiler: [String]) throws {
    let stage = try Stage(recorderBy: compiler)
    let undefined = try stage.recorder.map { object in
      try stage.workshop.make("nm", ["-u", object]).text
        .split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    let own = try stage.recorder.flatMap { object in
      try stage.workshop.make("nm", ["--defined-only", "-j", object]).text.split(separator: "\n")
        .map(String.init)
    }
    let imported = Set(undefined.joined()).subtracting(own)
    #expect(imported.isSubset(of: ImmunityIntegrations.allowed), "\(imported)")
    let program = try stage.build("program", "launch/main.c")
    for (end, status) in [
      ("return", 0), ("_exit", 0), ("abort", 134), ("segv", 139), ("kill", 137),
    ]
      as [(String, Int32)]
    {
      #expect(try stage.record(program, [end]).status == status)
      let header = try stage.workshop.trace().header
      #expect(header.machine == 183 && header.ticksPerSecond > 0 && header.lostRecords == 0)
      let expected = LaunchOrderTests.order + (end == "return" ? ["last_destructor"] : [])
      #expect(try stage.names() == expected)
    }
  }

  /// The ifunc resolvers of a static program run before the program is relocated.
  @Test(arguments: ["-static", "-static-pie"])
  func aStaticProgramIsRecordedFromItsFirstHit(flag: String) throws {
    let stage = try Stage()
    let program = try stage.build("program", "launch/main.c", links: [flag])
    let ended = try stage.record(program)
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    #expect(try stage.names() == LaunchOrderTests.order + ["last_destructor"])
  }

  @Test func withoutTheVariableThereIsNoFileNoOutputAndEveryGuardIsSeen() throws {
    let stage = try Stage()
    let program = try stage.build("program", "launch/main.c")
    let seen = try stage.build("seen", "silence/main.c", coverage: [])
    for program in [program, seen] {
      let ended = try stage.record(program, environment: ["ORDERFILE_TRACE": ""])
      #expect(ended.status == 0 && ended.text == "" && ended.errors == "")
    }
    #expect(try stage.workshop.files() == [])
    #expect(try stage.record(seen).status == 1)
  }

  @Test func threadsLoseNothingAndAFileLimitCostsCountedRecords() throws {
    let stage = try Stage()
    let before = try stage.build("before", "stress/before.c", coverage: [])
    #expect(try stage.record(before).status == 0)
    let trace = try stage.workshop.trace()
    #expect(trace.guards.count == 9000 && Set(trace.guards).count == 9000)
    #expect(trace.header.lostRecords == 0)

    let limited = try stage.build("limited", "stress/main.c", coverage: [])
    #expect(try stage.record(limited, ["limit", "1000000"]).text == "unharmed\n")
    let rest = try stage.workshop.trace()
    #expect(Set(rest.guards).count == rest.guards.count && rest.header.lostRecords > 0)
    #expect(rest.guards.count + Int(rest.header.lostRecords) == StressTests.guards)
  }

  /// The emulator runs vfork as fork.
  @Test(arguments: [("fork", 2), ("grandchild", 3), ("clone", 2), ("stopped", 1)])
  func childrenHaveTheirOwnTraces(way: String, count: Int) throws {
    let stage = try Stage()
    let program = try stage.build("program", "children/main.c")
    let ended = try stage.record(program, [way])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try stage.workshop.traces()
    #expect(traces.count == count)
    #expect(traces.values.filter { $0.header.flags.contains(.forked) }.count == traces.count - 1)
  }

  @Test func marksAndStopsCountFromAnyThreadAndHandler() throws {
    let stage = try Stage()
    let program = try stage.build("program", "stages/main.c", links: ["-rdynamic"])
    #expect(try stage.record(program, ["marks"]).status == 0)
    let marks = ["first screen", "in a thread", "in a handler"]
    #expect(try stage.workshop.trace().marks == marks + [String(repeating: "n", count: 255), ""])
    _ = try stage.record(
      program, ["marks"], environment: ["ORDERFILE_STOP_AT": "in a thread"])
    #expect(try stage.names() == ["main", "first", "in_thread"])
    #expect(try stage.workshop.trace().header.state == .stoppedByMark)
    _ = try stage.record(program, ["stop"])
    #expect(try stage.names() == ["main", "first"])
    #expect(try stage.workshop.trace().header.state == .stoppedByCall)
    _ = try stage.record(program, ["frames"])
    let trace = try stage.workshop.trace()
    #expect(trace.marks.count + Int(trace.header.lostMarks) == 2001)
    #expect(try stage.names() == ["main", "second", "third"])
  }

  @Test func aPluginJoinsTheTraceAndKeepsItsHitsAtAUsedAddress() throws {
    let stage = try Stage()
    let host = try stage.build("host", "plugins/host.c", links: ["-rdynamic", "-ldl"])
    let a = try stage.build(
      "a.so", "plugins/plugin.c", ["-DNAME=a", "-DEARLY", "-DMANY=20000"], links: ["-shared"])
    let b = try stage.build(
      "b.so", "plugins/plugin.c", ["-DNAME=b", "-DEARLY"], links: ["-shared"])
    let ended = try stage.record(
      host,
      [
        "open=\(a)", "call=0=a", "call=0=a_many", "close=0", "open=\(b)", "call=1=b", "close=1",
        "reopen=2=\(a)", "call=2=a_second",
      ])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    #expect(try stage.workshop.files("tra") == ["trace"])
    let trace = try stage.workshop.trace()
    #expect(trace.header.lostRecords == 0 && trace.guards.count > 20_000)
    var names = FunctionNames(stage.workshop)
    let hits = try names.hits(trace).filter { ["a.so", "b.so"].contains($0.image) }.map(\.name)
    let named = ["a_early", "a", "b_early", "b", "a_second"]
    #expect(hits.filter(named.contains) == ["a_early", "a", "b_early", "b", "a_early", "a_second"])
  }

  @Test func thePathIsThatOfTheTemplateAndAForeignFileIsNotTouched() throws {
    let stage = try Stage()
    let program = try stage.build("program", "paths/waiter.c")
    let template = stage.workshop.path("trace.%n.%p.%%")
    let ended = try stage.record(program, environment: ["ORDERFILE_TRACE": template])
    #expect(try stage.workshop.files() == ["trace.program.\(ended.pid).%"])
    try Data("precious".utf8).write(to: URL(fileURLWithPath: stage.workshop.path("trace")))
    let refused = try stage.record(program)
    #expect(refused.status == 0 && refused.text == "r")
    #expect(refused.errors.contains("the file there is not a trace"))
    #expect(try String(contentsOfFile: stage.workshop.path("trace"), encoding: .utf8) == "precious")
  }
}
