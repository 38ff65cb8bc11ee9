import TraceFormat

/// Makes a trace's ticks into nanoseconds since the process started.
///
/// The counter's rate is known on ARM and calibrated by two pairs elsewhere: the recorder stores one
/// pair when the trace is made and another one at each registration, mark and exit, and `orderfile
/// record` stores a last one when it seals. A process that was killed right after its start leaves
/// two pairs too close together to tell a rate.
struct TraceClock {
  private let reference: TraceHeader.ClockPair
  private let nanosecondsPerTick: Double
  /// Nanoseconds since boot.
  private let start: UInt64

  /// The shortest baseline that we calibrate by: its error is then below 1 % (a pair is read within
  /// about a microsecond).
  private static let shortestBaseline: UInt64 = 100_000  // nanoseconds

  /// - Returns: `nil` where the times mean nothing: an emulator, no rate, or no start time.
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

  /// Nanoseconds from the start of the process; 0 for an instant before it, which a start time rounded
  /// to 10 ms can give.
  func nanoseconds(atTicks ticks: UInt64) -> UInt64 {
    let distance =
      ticks >= reference.ticks
      ? Double(ticks - reference.ticks) : -Double(reference.ticks - ticks)
    let since = Double(reference.nanoseconds) - Double(start) + distance * nanosecondsPerTick
    return since > 0 && since < 1e18 ? UInt64(since) : 0
  }
}
