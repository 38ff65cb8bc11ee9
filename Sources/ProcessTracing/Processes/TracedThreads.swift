#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The threads of a launch, of all its processes, and what their tracer knows of each.
struct TracedThreads<State> {
  private var states: [pid_t: State] = [:]
  /// Threads that have stopped before the event that tells whose they are.
  private var strangers: Set<pid_t> = []

  /// `nil` for a thread that is not known.
  subscript(tid: pid_t) -> State? {
    get { states[tid] }
    set { states[tid] = newValue }
  }

  var isEmpty: Bool { states.isEmpty }

  /// Ascending.
  var numbers: [pid_t] { states.keys.sorted() }

  func allSatisfy(_ condition: (State) -> Bool) -> Bool { states.values.allSatisfy(condition) }

  /// The thread `tid`, formerly `former`, is the only one left of its process.
  mutating func exec(_ tid: pid_t, former: pid_t) {
    states[former] = nil
    states[tid] = nil
  }

  /// Adds a thread that another one has made, unless it is known already.
  ///
  /// - Returns: whether the thread has stopped already, and waits.
  mutating func add(_ tid: pid_t, _ state: State) -> Bool {
    if states[tid] == nil { states[tid] = state }
    return strangers.remove(tid) != nil
  }

  /// A thread that is not known has stopped; `add` says so.
  mutating func addStranger(_ tid: pid_t) { strangers.insert(tid) }

  /// Those that have stopped and nobody knows, ascending; they are forgotten.
  mutating func takeStrangers() -> [pid_t] {
    defer { strangers = [] }
    return strangers.sorted()
  }

  /// - Returns: what was known of it.
  mutating func remove(_ tid: pid_t) -> State? {
    strangers.remove(tid)
    return states.removeValue(forKey: tid)
  }
}
