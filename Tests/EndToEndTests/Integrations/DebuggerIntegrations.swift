import TestSupport
import Testing

/// A launch that is recorded with breakpoints may contain gdb.
@Suite(.needs(.recording, "gdb")) struct DebuggerIntegrations {
  @Test func gdbInTheLaunchStopsWhereItStopsAlone() throws {
    let workshop = try DebuggerTests.built.copy()
    let command = [
      "gdb", "-nx", "--batch", "-ex", "break in_child", "-ex", "run", "-ex", "info registers pc",
      "-ex", "continue", "--args", "./app", "executed",
    ]
    let words = ["Breakpoint 1, ", "exited with code 03"]
    let plain = try workshop.start("gdb", Array(command.dropFirst())).end()
    #expect(words.allSatisfy { plain.text.contains($0) }, "\(plain.text) \(plain.errors)")
    let run = try DebuggerTests().record(workshop, ["--all-images"], command)
    #expect(
      words.allSatisfy { run.text.contains($0) } && run.status == plain.status,
      "\(run.text) \(run.errors)")
    #expect(run.errors.contains("/gdb: \(DebuggerTests.warning)"), "\(run.errors)")
    #expect(!(try RecordTests.functions(workshop, in: "t").isEmpty))
  }
}
