import ProcessLaunch

/// What to do when, in order.
struct LaunchDeadlines {
  enum Action { case stop, terminate, kill }
  private var actions: [(nanoseconds: UInt64, action: Action)] = []

  init(stopAfter: UInt64?, timeout: Double?, start: UInt64) {
    if let stopAfter { actions.append((start &+ stopAfter &* 1_000_000, .stop)) }
    if let seconds = timeout {
      let end = start + UInt64(seconds * 1e9)
      actions += [(end, .terminate), (end + 2_000_000_000, .kill)]
    }
    actions.sort { $0.nanoseconds < $1.nanoseconds }
  }

  /// -1 if there is none.
  func millisecondsToNext() -> Int64 {
    guard let next = actions.first?.nanoseconds else { return -1 }
    let now = ClockReading.now().nanoseconds
    return next > now ? Int64(clamping: (next - now + 999_999) / 1_000_000) : 0
  }

  mutating func next() -> Action? {
    guard let next = actions.first, next.nanoseconds <= ClockReading.now().nanoseconds else {
      return nil
    }
    actions.removeFirst()
    return next.action
  }
}
