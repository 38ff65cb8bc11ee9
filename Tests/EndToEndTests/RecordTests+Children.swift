import Foundation
import TestSupport
import Testing

/// Several processes: children, daemons, programs that a script starts.
extension RecordTests {
  @Test func aForkedChildHasATraceOfItsOwn() throws {
    let workshop = try Self.workshop()
    let run = try workshop.mustOrderfile("record", "-o", "t", "./app", "fork")
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(
      run.errors.contains(
        "recorded 3 first hits, the sum over 2 processes, of 4 instrumented functions in 1 image, ")
    )
    #expect(
      run.errors.hasSuffix(
        ": t and 1 more trace; next: orderfile gen t \(child) --image RELEASE_IMAGE -o t.order\n"))
    #expect(try Self.functions(workshop, in: child) == ["in_child"])
    let gen = try workshop.mustOrderfile("gen", "t", child)
    let lines = gen.text.split(separator: "\n")
    #expect(lines.suffix(3) == ["main", "work", "in_child"])
  }

  /// A process that still runs keeps its trace, and continues to record into it.
  @Test func aDaemonGoesOnRecording() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(Built.orderfile, ["record", "-o", "t", "./app", "daemon"])
    #expect(running.endAlone().status == 0)
    let child = try #require(workshop.fileNames.first { $0.hasPrefix("t.") })
    #expect(try Self.isSealed(workshop, "t"))
    #expect(try !Self.isSealed(workshop, child))
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
    #expect(try Self.functions(workshop, in: child) == ["in_child", "late"])
    #expect(workshop.fileNames == ["app", "stop", "t", child])
  }

  /// When the child begins its trace, the parent's trace is sealed, and the temporary folder for both traces is gone.
  @Test func aChildThatBeginsItsTraceAfterRecordHasEndedIsRecordedToo() throws {
    let workshop = try Self.workshop()
    let folder = workshop.path("100% new")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "100% new/t", "./app", "quiet daemon"])
    #expect(running.endAlone().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["t"])
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
    let traces = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    try #require(traces.count == 2 && traces[1].hasPrefix("t."), "\(traces)")
    #expect(try Self.functions(workshop, in: "100% new/\(traces[1])") == ["late"])
  }

  /// The first program that a script starts may be the one that stays.
  @Test func aScriptsDaemonGoesOnRecordingToo() throws {
    let workshop = try Self.workshop()
    let running = try workshop.start(
      Built.orderfile, ["record", "-o", "t", "/bin/sh", "-c", "./app daemon & wait; exit 0"])
    #expect(running.endAlone().status == 0)
    #expect(try Self.functions(workshop, in: "t") == ["main", "work"])
    try workshop.write([], "stop")
    #expect(running.leavesNothing())
  }

  @Test func aScriptMayLaunchSeveralPrograms() throws {
    let workshop = try Self.workshop()
    let other = """
      __attribute__((noinline)) void rest(void) { __asm__ volatile(""); }
      int main(void) { rest(); return 0; }
      """
    let build = Build(testDescription: "", sources: [("second.c", other)], order: [])
    try workshop.link(
      build, workshop.compile(build, isRecorded: true), isRecorded: true, as: "second")
    try workshop.must("cp", ["app", "copy"])
    let run = try workshop.mustOrderfile(
      "record", "-o", "t", "/bin/sh", "-c", "./app mark; ./second; ./copy exit 0")
    let traces = workshop.fileNames.filter { $0 == "t" || $0.hasPrefix("t.") }
    #expect(traces.count == 3)
    #expect(run.errors.contains(", the sum over 3 processes, "))
    let programs = try traces.map { trace in
      (try workshop.mustOrderfile("show", "--json", trace).json["program"] as? String ?? "")
        .split(separator: "/").last.map(String.init)
    }
    #expect(programs[0] == "app")
    #expect(Set(programs) == ["app", "second", "copy"])
    // An order file is for one program, so the trace of another program is named and not used. A copy is the same
    // program.
    let gen = try workshop.mustOrderfile("gen", traces[0], traces[1], traces[2])
    #expect(gen.errors.contains("recorded functions of 2 launches "), "\(gen.errors)")
    #expect(
      gen.errors.contains(
        ": none of 2 hits is used, because the trace has no build of the given image: 2 in 'second' (2 functions)\n"
      ),
      "\(gen.errors)")
    try workshop.mustOrderfile(
      "gen", traces[0], traces[1], traces[2], "--all-images", "-o", "orders")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: workshop.path("orders")).sorted() == [
        "app.order", "second.order",
      ])
  }
}
