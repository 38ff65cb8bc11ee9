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

  /// Makes a launch whose events are the marks of a trace, its first and its last function, and `main` if the trace
  /// names it.
  package init(_ trace: Trace) {
    var events = trace.marks.compactMap { mark in
      mark.nanoseconds.map { (name: mark.name, nanoseconds: Double($0), thread: mark.thread) }
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
    self.init(events: events)
  }
}
