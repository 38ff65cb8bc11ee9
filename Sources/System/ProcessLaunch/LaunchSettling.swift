import CProcess
import LibC

/// Waits until a server that has given its sign of readiness waits for requests.
///
/// A server may go on with its start after it listens on its port. Its progress at that moment
/// depends on the machine, and on breakpoints, which slow the server down. Once all its threads
/// sleep, its progress is the same in each launch.
struct LaunchSettling {
  enum State {
    /// All threads sleep, and no thread has run for `quiet`; or the system does not show whether threads sleep.
    case waits
    /// The threads did not settle within 3 s, or within 20 s if a tracer slows them down.
    case works
  }

  /// The time during which no thread may run, in nanoseconds.
  private static let quiet: UInt64 = 50_000_000
  private static let interval: UInt64 = 5_000_000
  /// The pause between two checks takes at least four times as long as a check, because a check reads a file of each
  /// process of the machine.
  private static let pausePerLook: UInt64 = 4

  private let processNumber: pid_t
  private let tracer: pid_t
  private let end: UInt64
  private var next: UInt64 = 0
  /// The number of context switches, and the time since when this number is the same; `nil` while a thread works.
  private var sleep: (switches: UInt64, since: UInt64)?

  /// - Parameter tracer: the process that traces the launch and is not part of it.
  init(_ processNumber: pid_t, tracer: pid_t?) {
    self.processNumber = processNumber
    self.tracer = tracer ?? 0
    end = ClockReading.now().nanoseconds + (tracer == nil ? 3_000_000_000 : 20_000_000_000)
  }

  /// Returns the state; `nil` while it is not known. Call it again within a few milliseconds.
  mutating func look() -> State? {
    let now = ClockReading.now().nanoseconds
    guard now >= next else { return nil }
    var switches: UInt64 = 0
    let sleeps = cprocess_launch_sleeps(processNumber, tracer, &switches)
    let afterLook = ClockReading.now().nanoseconds
    next = afterLook + max(Self.interval, Self.pausePerLook * (afterLook - now))
    if !sleeps {
      sleep = nil
    } else if let sleep, sleep.switches == switches {
      if now - sleep.since >= Self.quiet { return .waits }
    } else {
      sleep = (switches, now)
    }
    return now >= end ? .works : nil
  }
}
