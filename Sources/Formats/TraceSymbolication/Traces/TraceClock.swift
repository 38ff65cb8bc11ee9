import TraceFormat

/// Converts a trace's ticks to nanoseconds since the process started.
///
/// The rate of the counter is known on ARM, and calibrated by two clock pairs elsewhere: the recorder stores one pair
/// when the trace is created and another at each registration, mark and exit, and `orderfile record` stores a last pair
/// when it seals the trace. If a process was killed right after its start, the two pairs are too close together for
/// calibration.
struct TraceClock {
  private let reference: TraceHeader.ClockPair
  private let nanosecondsPerTick: Double
  /// The start of the process, in nanoseconds since boot.
  private let start: UInt64

  /// The shortest baseline for calibration: its error is below 1%, because a pair is read within about a
  /// microsecond.
  private static let shortestBaseline: UInt64 = 100_000  // nanoseconds

  /// - Returns: `nil` if the times are meaningless: an emulator, an unknown rate, or an unknown start time.
  init?(_ header: TraceHeader) {
    guard !header.flags.contains(.emulated), header.processStart > 0 else { return nil }
    let (first, last) = (header.firstPair, header.lastPair)
    if header.ticksPerSecond > 0 {
      nanosecondsPerTick = 1e9 / Double(header.ticksPerSecond)
    } else {
      guard last.ticks > first.ticks, last.nanoseconds > first.nanoseconds,
        last.nanoseconds - first.nanoseconds >= Self.shortestBaseline
      else { return nil }
      nanosecondsPerTick =
        Double(last.nanoseconds - first.nanoseconds) / Double(last.ticks - first.ticks)
    }
    reference = first
    start = header.processStart
  }

  /// Nanoseconds since the start of the process; 0 for an earlier instant, which is possible because start
  /// times are rounded to 10 ms.
  func nanoseconds(atTicks ticks: UInt64) -> UInt64 {
    let distance =
      ticks >= reference.ticks
      ? Double(ticks - reference.ticks) : -Double(reference.ticks - ticks)
    let since = Double(reference.nanoseconds) - Double(start) + distance * nanosecondsPerTick
    return since > 0 && since < 1e18 ? UInt64(since) : 0
  }
}
