import ImageModel

extension StagedLaunch {
  /// Makes a launch from events in any order, each with the nanoseconds since the process began.
  package init(events: [(name: String, nanoseconds: Double, thread: Int?)]) {
    var last = 0.0
    let order = events.indices.sorted {
      (events[$0].nanoseconds, $0) < (events[$1].nanoseconds, $1)
    }
    self.init(
      order.map { index in
        let event = events[index]
        defer { last = event.nanoseconds }
        return LaunchStage(
          event.name, .event, nanoseconds: event.nanoseconds - last, thread: event.thread)
      })
  }

  /// The marks of a trace, its first and its last function, and `main` if the trace names it. Marks of start-up tasks
  /// are no events: each task is a part of the event before which it ended.
  package init(_ trace: Trace) {
    var tasks = TaskTimes()
    var events: [(name: String, nanoseconds: Double, thread: Int?)] = []
    for mark in trace.marks {
      guard let time = mark.nanoseconds.map({ Double($0) }) else { continue }
      if tasks.add(mark.name, at: time, thread: mark.thread) { continue }
      events.append((mark.name, time, mark.thread))
    }
    func add(_ name: String, _ hit: Hit?) {
      guard let hit, let time = hit.nanoseconds else { return }
      events.append((name, Double(time), hit.thread))
    }
    let mains = trace.names.filter { $0.name == "main" || $0.name == "_main" }
    add("first recorded function", trace.hits.first { $0.nanoseconds != nil })
    add(
      "main",
      trace.hits.first { hit in
        mains.contains { $0.image == hit.image && $0.address == hit.entry }
      })
    add("last recorded function", trace.hits.last { $0.nanoseconds != nil })
    let last = events.map(\.nanoseconds).max() ?? 0
    if let end = tasks.lastEnd, end > last { events.append(("last task", end, nil)) }
    self.init(events: events)
    insert(tasks.ended(at: max(last, tasks.lastEnd ?? 0)))
  }

  /// Adds the tasks as parts of the events before which they ended.
  private mutating func insert(_ tasks: [TaskTimes.Task]) {
    var rest = tasks[...]
    var elapsed = 0.0
    var all: [LaunchStage] = []
    for (place, event) in stages.enumerated() {
      elapsed += event.nanoseconds
      all.append(event)
      // Sums of times are inexact, so the last event takes all tasks that are left.
      let isLast = place == stages.count - 1
      while let task = rest.first, isLast || task.end <= elapsed {
        all.append(task.stage)
        rest.removeFirst()
      }
    }
    stages = all
  }
}
