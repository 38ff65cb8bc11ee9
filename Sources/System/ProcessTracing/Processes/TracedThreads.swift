import LibC

/// The threads of a launch, in all its processes, and the tracer's state for each.
struct TracedThreads<State> {
  private var states: [pid_t: State] = [:]
  /// Threads that stopped before the event that shows to which process they belong.
  private var strangers: Set<pid_t> = []

  /// The state of the thread `tid`; `nil` for an unknown thread.
  subscript(tid: pid_t) -> State? {
    get { states[tid] }
    set { states[tid] = newValue }
  }

  var isEmpty: Bool { states.isEmpty }

  /// The numbers of the threads, ascending.
  var numbers: [pid_t] { states.keys.sorted() }

  func allSatisfy(_ condition: (State) -> Bool) -> Bool { states.values.allSatisfy(condition) }

  /// Forgets the state of the thread `tid`, formerly `former`, which has called exec.
  mutating func exec(_ tid: pid_t, former: pid_t) {
    states[former] = nil
    states[tid] = nil
  }

  /// Adds a thread that another thread has created, unless it is already known.
  ///
  /// - Returns: whether the thread has already stopped, and waits.
  mutating func add(_ tid: pid_t, _ state: State) -> Bool {
    if states[tid] == nil { states[tid] = state }
    return strangers.remove(tid) != nil
  }

  /// Notes that an unknown thread has stopped; `add` reports that later.
  mutating func addStranger(_ tid: pid_t) { strangers.insert(tid) }

  /// Forgets an unknown thread.
  ///
  /// - Returns: whether the thread has stopped, and waits.
  mutating func takeStranger(_ tid: pid_t) -> Bool { strangers.remove(tid) != nil }

  /// Returns the unknown threads that have stopped, ascending, and forgets them.
  mutating func takeStrangers() -> [pid_t] {
    defer { strangers = [] }
    return strangers.sorted()
  }

  /// - Returns: the state of the thread.
  mutating func remove(_ tid: pid_t) -> State? {
    strangers.remove(tid)
    return states.removeValue(forKey: tid)
  }
}
