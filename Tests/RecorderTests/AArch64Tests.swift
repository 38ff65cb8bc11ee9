import Foundation
import TestSupport
import Testing
import TraceFormat

/// The recorder cross-built for aarch64 and run under user-mode emulation.
@Suite(.needs("aarch64-linux-gnu-gcc", "qemu-aarch64"))
struct AArch64Tests {
  static let target = [
    "--target=aarch64-linux-gnu", "--gcc-toolchain=/usr", "--sysroot=/usr/aarch64-linux-gnu",
    "-I/usr/aarch64-linux-gnu/include",
  ]

  private func build(
    _ source: String, coverage: [String] = Workshop.instrumented,
    by compiler: [String] = ["clang"] + target
  ) throws -> (workshop: Workshop, program: String, runtime: String) {
    let workshop = try Workshop()
    var objects: [String] = []
    for (index, file) in Workshop.runtimeSources.enumerated() {
      objects.append(workshop.path("runtime.\(index).o"))
      try workshop.make(
        compiler[0],
        compiler.dropFirst() + Workshop.includes
          + ["-std=c11", "-O2", "-moutline-atomics", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c"]
          + [file, "-o", objects[index]])
    }
    let runtime = workshop.path("runtime.o")
    try workshop.make("aarch64-linux-gnu-ld", ["-r", "-o", runtime] + objects)
    let object = workshop.path("program.o")
    try workshop.make(
      "clang",
      Self.target + coverage + Workshop.includes
        + ["-O1", "-fPIC", "-c", Workshop.source(source), "-o", object])
    let program = workshop.path("program")
    try workshop.make(
      "aarch64-linux-gnu-gcc", [object, runtime, "-pthread", "-o", program])
    return (workshop, program, runtime)
  }

  private func record(_ workshop: Workshop, _ program: String, _ arguments: [String] = []) throws
    -> Run
  {
    try workshop.record("qemu-aarch64", ["-L", "/usr/aarch64-linux-gnu", program] + arguments)
  }

  @Test(arguments: [["clang"] + target, ["aarch64-linux-gnu-gcc"]])
  func everyFunctionOnceInItsOrder(compiler: [String]) throws {
    let (workshop, program, runtime) = try build("launch/main.c", by: compiler)
    let undefined = try workshop.make("nm", ["-u", runtime]).text
      .split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(Set(undefined).isSubset(of: ImmunityTests.allowed), "\(undefined)")
    for (end, status) in [("return", 0), ("kill", 137)] as [(String, Int32)] {
      #expect(try record(workshop, program, [end]).status == status)
      let trace = try workshop.trace()
      #expect(trace.header.machine == 183 && trace.header.ticksPerSecond > 0)
      var names = FunctionNames(workshop)
      let expected = LaunchOrderTests.order + (end == "return" ? ["last_destructor"] : [])
      #expect(try names.names(trace).filter { $0 != "_init" } == expected)
    }
  }

  @Test func threadsLoseNothing() throws {
    let (workshop, program, _) = try build("stress/before.c", coverage: [])
    #expect(try record(workshop, program).status == 0)
    let trace = try workshop.trace()
    #expect(trace.guards.count == 9000 && Set(trace.guards).count == 9000)
    #expect(trace.header.lostRecords == 0)
  }

  @Test(arguments: ["fork", "grandchild"])
  func childrenHaveTheirOwnTraces(way: String) throws {
    let (workshop, program, _) = try build("children/main.c")
    let ended = try record(workshop, program, [way])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try workshop.traces()
    #expect(traces.count == (way == "fork" ? 2 : 3))
    #expect(traces.values.filter { $0.header.flags.contains(.forked) }.count == traces.count - 1)
  }
}
