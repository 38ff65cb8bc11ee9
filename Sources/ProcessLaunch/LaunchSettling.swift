import CProcess

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Waits until a launch that has given its sign waits for requests.
///
/// A server may do more for its start after it listens on its port. How far it is when somebody sees the port depends on
/// the machine and on what slows the server down, such as breakpoints. But what it has done once all its threads sleep is
/// the same each time.
struct LaunchSettling {
  enum State {
    /// All threads sleep, and none has run for `quiet`.
    case waits
    /// They did not settle within 3 s, or 20 s if each step of theirs waits for a tracer.
    case works
  }

  /// In nanoseconds.
  private static let quiet: UInt64 = 50_000_000
  private static let interval: UInt64 = 5_000_000

  private let processNumber: pid_t
  private let tracer: pid_t
  private let end: UInt64
  private var next: UInt64 = 0
  /// How often threads had been scheduled when they last had changed that, and when that was; `nil` while one works.
  private var sleep: (switches: UInt64, since: UInt64)?

  /// - Parameter tracer: a process that belongs to this one, and not to the launch.
  init(_ processNumber: pid_t, tracer: pid_t?) {
    self.processNumber = processNumber
    self.tracer = tracer ?? 0
    end = ClockReading.now().nanoseconds + (tracer == nil ? 3_000_000_000 : 20_000_000_000)
  }

  /// `nil` as long as that is not known; to be called again within a few milliseconds.
  mutating func look() -> State? {
    let now = ClockReading.now().nanoseconds
    guard now >= next else { return nil }
    next = now + Self.interval
    var switches: UInt64 = 0
    if !cprocess_launch_sleeps(processNumber, tracer, &switches) {
      sleep = nil
    } else if let sleep, sleep.switches == switches {
      if now - sleep.since >= Self.quiet { return .waits }
    } else {
      sleep = (switches, now)
    }
    return now >= end ? .works : nil
  }
}
