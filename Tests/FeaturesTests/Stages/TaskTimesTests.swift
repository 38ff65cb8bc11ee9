import Addresses
import ImageModel
import Stages
import Testing

/// Start-up tasks in the marks of a trace.
@Suite struct TaskTimesTests {
  private func stages(
    _ marks: [(name: String, nanoseconds: UInt64, thread: Int)], functions: [UInt64] = []
  ) -> [String] {
    var trace = Trace(path: "a.oftrace", program: "/bin/app", processNumber: 1)
    trace.marks = marks.enumerated().map {
      Mark(
        name: $0.element.name, step: $0.offset, nanoseconds: $0.element.nanoseconds,
        thread: $0.element.thread)
    }
    trace.hits = functions.map {
      Hit(
        step: 0, image: 0, guardIndex: nil, entry: StatedAddress(rawValue: 16),
        returnAddress: nil, nanoseconds: $0, thread: 1)
    }
    let launch = StagedLaunch(trace)
    #expect(launch.nanoseconds == Double((marks.map(\.nanoseconds) + functions).max() ?? 0))
    return launch.stages.map {
      "\($0.kind == .task ? "- " : "")\($0.name): \(Int($0.nanoseconds))"
    }
  }

  @Test func aTaskIsAPartOfTheEventBeforeWhichItEnded() {
    #expect(
      stages(
        [
          ("begin task a of b of launch", 20, 1), ("end task a of b of launch", 30, 1),
          ("first screen", 40, 1), ("begin task c of later", 50, 1),
          ("end task c of later", 55, 1),
        ], functions: [10, 60])
        == [
          "first recorded function: 10", "first screen: 30", "- task a of b of launch: 10",
          "last recorded function: 20", "- task c of later: 5",
        ])
  }

  @Test func tasksMayBeNestedAndOnSeveralThreads() {
    #expect(
      stages([
        ("begin task a of x", 10, 1), ("begin task b of x", 15, 1), ("begin task a of x", 16, 2),
        ("end task b of x", 20, 1), ("end task a of x", 26, 2), ("end task a of x", 30, 1),
        ("ready", 40, 1),
      ]) == [
        "ready: 40", "- task b of x: 5", "- task a of x: 10", "- task a of x: 20",
      ])
  }

  /// The last task may end after the last event, and a task that throws or ends the process has no end.
  @Test func aTaskWithoutAnEndLastsUntilTheEndOfTheLaunch() {
    #expect(
      stages([
        ("ready", 10, 1), ("begin task a of x", 20, 1), ("begin task b of x", 25, 1),
        ("end task b of x", 40, 1),
      ]) == [
        "ready: 10", "last task: 30", "- task b of x: 15",
        "- task a of x, which did not end: 20",
      ])
  }

  @Test func anEndWithoutABeginIsAnEvent() {
    #expect(stages([("end task a of x", 10, 1)]) == ["end task a of x: 10"])
  }

  @Test func aLaunchEndsAtAnEventWithItsTasks() throws {
    var trace = Trace(path: "a.oftrace", program: "/bin/app", processNumber: 1)
    trace.marks = [
      ("begin task a of x", 1), ("end task a of x", 2), ("ready", 3), ("begin task b of x", 4),
      ("end task b of x", 5), ("idle", 6),
    ].enumerated().map {
      Mark(name: $0.element.0, step: $0.offset, nanoseconds: $0.element.1, thread: 1)
    }
    let launch = try #require(StagedLaunch(trace).until("ready"))
    #expect(launch.stages.map(\.name) == ["ready", "task a of x"] && launch.nanoseconds == 3)
  }

  /// `orderfile_tasks.c` quotes stages with ` of `.
  @Test(
    arguments: [
      ("task a of b", "a", "b"), ("task a of b of c", "a of b", "c"),
      ("task a of \"b of c\"", "a", "b of c"), ("task a of b of \"c of d\"", "a of b", "c of d"),
      ("task a of \"b of c\", which did not end", "a", "b of c"),
      ("task a of \"b\"", "a", "\"b\""), ("task a of b, which did not end", "a", "b"),
      ("a of b", nil, nil), ("task a", nil, nil), ("task a of \"", "a", "\""),
    ] as [(String, String?, String?)])
  func aRowNamesTheTaskAndItsStage(row: String, name: String?, stage: String?) {
    let task = TaskName(row: row)
    #expect(task?.name == name && task?.stage == stage)
  }

  @Test func eachTaskHasARowWithItsOwnTimes() throws {
    let launches = [4.0, 6].map { time in
      StagedLaunch([
        LaunchStage("ready", .event, nanoseconds: 10, thread: 1),
        LaunchStage("task a of x", .task, nanoseconds: time, thread: 1),
        LaunchStage("idle", .event, nanoseconds: 5, thread: 1),
      ])
    }
    let table = StageTable(.trace, launches, origins: ["a.oftrace"])
    #expect(table.rows.map(\.name) == ["ready", "task a of x", "idle"])
    #expect(table.rows[1].deltaSummary.mean == 5 && table.rows[1].threadDelta == nil)
    #expect(table.rows[2].elapsed == 15 && table.rows[2].threadDelta == 5)
    #expect(table.total.mean == 15)
  }
}
