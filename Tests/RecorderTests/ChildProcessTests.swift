import Foundation
import TestSupport
import Testing
import TraceFormat

@Suite(.needs(.compiling)) struct ChildProcessTests {
  /// Launches `children/main.c` with an argument that says how it makes processes, with or without the kernel's
  /// MADV_WIPEONFORK. Returns the names in each trace, first those of the first process.
  private func record(
    _ arguments: [String], fallback: Bool = false, template: String = "trace",
    check: (Workshop, [UInt32: TraceFile], UInt32) throws -> Void = { _, _, _ in }
  ) throws -> [[String]] {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["children/main.c"])
    let environment = ["ORDERFILE_TRACE": workshop.path(template)]
    var ended: Run
    if fallback {
      let launcher = try workshop.build(
        "no_wipe", from: ["children/no_wipe.c"], coverage: [], recorder: nil)
      ended = try workshop.record(launcher, [program] + arguments, environment: environment)
    } else {
      ended = try workshop.record(program, arguments, environment: environment)
    }
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try workshop.traces()
    var names = FunctionNames(workshop)
    let first = UInt32(ended.pid)
    try check(workshop, traces, first)
    return try traces.sorted { ($0.key == first ? 0 : $0.key) < ($1.key == first ? 0 : $1.key) }
      .map { try names.names($0.value) }
  }

  @Test(arguments: ["fork", "clone"], [false, true])
  func aChildWritesATraceOfWhatItsParentHadNotHit(way: String, fallback: Bool) throws {
    let names = try record([way], fallback: fallback) { _, traces, parent in
      for (pid, trace) in traces where pid != parent {
        #expect(trace.header.flags.contains(.forked) && trace.header.parentPID == parent)
        #expect(trace.loads.map(\.number) == traces[parent]?.loads.map(\.number))
      }
      #expect(traces[parent]?.header.flags.contains(.forked) == false)
    }
    #expect(names == [["main", "before", "in_parent", "wait_for"], ["in_child"]])
  }

  /// Both children are process number 1, have the same start time, and run the same program.
  @Test(.needs(.namespaces), arguments: ["plain", "proc"], ["trace", "trace.%p"])
  func childrenOfTheSameNumberInTwoNamespacesHaveATraceEach(way: String, template: String) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["children/namespaces.c"])
    for first in [[], ["unshare", "--pid", "--fork", "--mount-proc"]] {
      let command = first + [program, way]
      let ended = try workshop.record(
        command[0], Array(command[1...]), environment: ["ORDERFILE_TRACE": workshop.path(template)])
      #expect(ended.status == 0 && ended.errors == "", "\(ended.status): \(ended.errors)")
      var names = FunctionNames(workshop)
      let files = try workshop.files()
      let hits = try files.map { try names.names(workshop.trace($0)).joined(separator: " ") }
      #expect(hits.sorted() == ["in_first", "in_second", "main"], "\(files): \(hits)")
      for file in files { try FileManager.default.removeItem(atPath: workshop.path(file)) }
    }
  }

  @Test(.needs(.root)) func aChildWithTheNumberOfOneThatIsGoneHasATraceOfItsOwn() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["children/main.c"])
    let ended = try workshop.record(
      program, ["namesakes"], environment: ["ORDERFILE_SESSION": "7"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.status): \(ended.errors)")
    var names = FunctionNames(workshop)
    let files = try workshop.files()
    #expect(
      try files.map { try names.names(workshop.trace($0)).last } == [
        "wait_for", "in_child", "in_grandchild",
      ], "\(files)")
  }

  @Test func aLaterGenerationTakesNoMoreRoomThanTheFirst() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["children/generations.c"])
    let ended = try workshop.record(program)
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let traces = try workshop.traces()
    #expect(traces.count == 17)
    #expect(Set(traces.values.map(\.header.capacity)).count == 1)
  }

  @Test(arguments: [false, true])
  func aChildOfVforkHitsForItsParent(fallback: Bool) throws {
    let names = try record(["vfork"], fallback: fallback)
    #expect(names.map { $0.sorted() } == [["before", "in_child", "in_parent", "main", "wait_for"]])
  }

  @Test func aSpawnedProgramHasATraceOfItsOwn() throws {
    let names = try record(["spawn"]) { workshop, traces, parent in
      #expect(traces.values.allSatisfy { !$0.header.flags.contains(.forked) })
      #expect(traces[parent] != nil)
    }
    #expect(names.last == ["main", "before", "in_child"])
  }

  @Test(arguments: [false, true])
  func aDaemonNamesTheLastAncestorThatRecorded(fallback: Bool) throws {
    let names = try record(["daemon"], fallback: fallback) { _, traces, parent in
      for (pid, trace) in traces where pid != parent {
        #expect(trace.header.parentPID == parent)
      }
    }
    #expect(names.last == ["in_child"])
    #expect(names.count == 2)
  }

  @Test(arguments: [false, true], ["trace", "trace.%p", "trace.%n.%p"])
  func aGrandchildNamesItsParent(fallback: Bool, template: String) throws {
    let names = try record(["grandchild"], fallback: fallback, template: template) {
      _, traces, first in
      let parents = traces.values.map(\.header.parentPID).sorted()
      #expect(parents.count == 3 && parents[0] == 0 && parents.contains(first))
      #expect(Set(parents).subtracting([0]).isSubset(of: Set(traces.keys)))
    }
    #expect(
      names.map { $0.filter { $0.hasPrefix("in_") } } == [[], ["in_child"], ["in_grandchild"]])
  }

  @Test(arguments: [false, true])
  func forksOfAProgramWithThreadsAreTracedEach(fallback: Bool) throws {
    let names = try record(["threads"], fallback: fallback)
    #expect(Array(names.dropFirst()) == Array(repeating: ["in_child"], count: 3))
  }

  /// The threads wait for a limited time, which may be too short on a busy machine. Hits that are lost then are
  /// counted.
  @Test(arguments: [false, true])
  func threadsOfAChildThatHitWhileItsTraceIsMadeWaitForIt(fallback: Bool) throws {
    let waits = try (0..<5).contains { _ in
      var lost = 0
      let names = try record(["race"], fallback: fallback) { _, traces, _ in
        lost = traces.values.reduce(0) { $0 + Int($1.header.lostRecords) }
      }
      let found = Set(names.last ?? []).intersection(["race_0", "race_1", "race_2", "race_3"])
      #expect(found.count + lost == 4, "\(names)")
      return lost == 0
    }
    #expect(waits)
  }

  @Test func aForkWhileAnotherThreadRegistersLeavesTheChildAlive() throws {
    #expect(try record(["registering"]).count == 41)
  }

  @Test func aChildThatHitsNothingLeavesNoTrace() throws {
    #expect(try record(["quiet"]).count == 1)
  }

  @Test func aChildOfAStoppedProcessStaysStopped() throws {
    #expect(try record(["stopped"]) == [["main", "before"]])
  }

  @Test func eachExecHasATraceOfItsOwn() throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["children/main.c"])
    let ended = try workshop.record(program, ["exec", "12"])
    #expect(ended.status == 0 && ended.errors == "")
    let files = try workshop.files()
    #expect(files.count == 13 && files.contains("trace.\(ended.pid)"))
    var names = FunctionNames(workshop)
    let last = try workshop.trace("trace.\(ended.pid).11")
    #expect(try names.names(last) == ["main", "before", "in_child"])
    for name in files { #expect(try workshop.trace(name).header.pid == UInt32(ended.pid)) }
  }
}
