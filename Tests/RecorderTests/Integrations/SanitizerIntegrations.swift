import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct SanitizerIntegrations {
  /// The environment variables. They disable the leak checker, which stops threads with ptrace and prints a message
  /// about each thread that it can't stop.
  private static func environment(_ trace: String) -> [String: String] {
    ["ORDERFILE_TRACE": trace, "ASAN_OPTIONS": "detect_leaks=0"]
  }

  /// The recorder in one process with a sanitizer's runtime, whose weak callbacks it takes the place of.
  @Test(arguments: ["address", "undefined", "thread", "address,undefined"])
  func theRecorderLivesBesideASanitizer(sanitizer: String) throws {
    let workshop = try Workshop()
    let flags = ["-O1", "-fsanitize=\(sanitizer)"]
    let runtime = try Workshop.runtime.get()
    let launch = try workshop.build(
      "launch", from: ["launch/tail.c"], flags: flags, recorder: runtime,
      compiler: Workshop.sanitizingClang)
    let ended = try workshop.record(launch, environment: Self.environment(workshop.path("trace")))
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    var names = FunctionNames(workshop)
    #expect(try names.names(try workshop.trace()) == ["main", "first_empty", "second_empty"])

    let children = try workshop.build(
      "children", from: ["children/main.c"], flags: flags, recorder: runtime,
      compiler: Workshop.sanitizingClang)
    for way in ["fork", "threads"] {
      let ended = try workshop.record(
        children, [way], environment: Self.environment(workshop.path("trace.\(way).%p")))
      #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
      #expect(try workshop.files("trace.\(way)").count == (way == "fork" ? 2 : 4))
    }
  }

  @Test func theRecorderIsTheOneThatALinkWithCoverageTakes() throws {
    let workshop = try Workshop()
    let program = try workshop.build(
      "program", from: ["launch/tail.c"], flags: ["-O1"] + Workshop.instrumented)
    #expect(try workshop.record(program).errors == "")
    #expect(try workshop.trace().guards.count == 3)
  }

  /// Runs the recorder itself with each sanitizer: it is compiled without its protection from instrumentation.
  @Test(arguments: ["thread", "undefined", "address"])
  func theRecorderItselfIsClean(sanitizer: String) throws {
    let workshop = try Workshop()
    let flags = [
      "-O1", "-g", "-fsanitize=\(sanitizer)", "-fno-sanitize-recover=undefined",
    ]
    let whole = try workshop.compileWholeRecorder(
      Workshop.sanitizingClang, flags: flags + ["-DOF_NOT_IMMUNE"])
    let stress = try workshop.build(
      "stress", from: ["stress/main.c"], flags: flags, coverage: [], recorder: whole,
      compiler: Workshop.sanitizingClang)
    let ended = try workshop.record(stress, environment: Self.environment(workshop.path("trace")))
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors.prefix(2000))")
    #expect(try workshop.trace().guards.count == StressTests.guards)

    let before = try workshop.build(
      "before", from: ["stress/before.c"], flags: flags, coverage: [], recorder: whole,
      compiler: Workshop.sanitizingClang)
    let early = try workshop.record(before, environment: Self.environment(workshop.path("early")))
    #expect(early.status == 0 && early.errors == "", "\(early.errors.prefix(2000))")

    let touches = try workshop.build(
      "touches", from: ["touches/threads.c"], flags: flags, coverage: DataTouchTests.coverage,
      recorder: whole, compiler: Workshop.sanitizingClang)
    let touched = try workshop.record(
      touches, environment: Self.environment(workshop.path("touched")))
    #expect(touched.status == 0 && touched.errors == "", "\(touched.errors.prefix(2000))")

    let children = try workshop.build(
      "children", from: ["children/main.c"], flags: flags, recorder: whole,
      compiler: Workshop.sanitizingClang)
    for way in ["grandchild", "threads"] {
      let ended = try workshop.record(
        children, [way], environment: Self.environment(workshop.path("child.\(way).%p")))
      #expect(ended.status == 0 && ended.errors == "", "\(ended.errors.prefix(2000))")
    }
  }
}
