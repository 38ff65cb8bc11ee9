import ImageModel
import TestSupport
import Testing

/// Tests how ticks are converted to nanoseconds since the start of the process.
@Suite struct TraceClockTests {
  /// The time of a hit at `ticks`.
  static func time(atTicks ticks: UInt64, _ set: (inout TraceWriter) -> Void) throws -> UInt64? {
    try trace { writer in
      writer.processStart = 1_000_000_000
      set(&writer)
      writer.addLoad(TraceWriter.Image())
      writer.addHit(TraceWriter.Image(), guard: 0, ticks: ticks)
    }.hits[0].nanoseconds
  }

  @Test func twoPairsTellTheRate() throws {
    // A nanosecond has 2 ticks. The trace was created 5 ms after the start of the process.
    let pairs: (inout TraceWriter) -> Void = { writer in
      writer.firstPair = (4_000_000, 1_005_000_000)
      writer.lastPair = (24_000_000, 1_015_000_000)
    }
    #expect(try Self.time(atTicks: 4_000_000, pairs) == 5_000_000)
    #expect(try Self.time(atTicks: 14_000_000, pairs) == 10_000_000)
    #expect(try Self.time(atTicks: 44_000_000, pairs) == 25_000_000)
    // Hits before the trace was made.
    #expect(try Self.time(atTicks: 2_000_000, pairs) == 4_000_000)
    #expect(try Self.time(atTicks: 0, pairs) == 3_000_000)
  }

  @Test func aKnownRateNeedsNoSecondPair() throws {
    let rate: (inout TraceWriter) -> Void = { writer in
      writer.ticksPerSecond = 25_000_000
      writer.firstPair = (1000, 1_000_000_000)
      writer.lastPair = writer.firstPair
    }
    #expect(try Self.time(atTicks: 1001, rate) == 40)
  }

  @Test func aStartBehindTheHitCountsAsTheStart() throws {
    let time = try Self.time(atTicks: 1_000_000) { writer in
      writer.processStart = 9_000_000_000
      writer.firstPair = (0, 1_000_000_000)
      writer.lastPair = (2_000_000, 1_002_000_000)
    }
    #expect(time == 0)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var set: @Sendable (inout TraceWriter) -> Void
  }

  static let uncalibrated = [
    Case(testDescription: "no second pair") {
      $0.firstPair = (1000, 1_000_000_000)
      $0.lastPair = $0.firstPair
    },
    Case(testDescription: "too short a baseline") {
      $0.firstPair = (1000, 1_000_000_000)
      $0.lastPair = (201_000, 1_000_099_999)
    },
    Case(testDescription: "ticks that stand still") {
      $0.firstPair = (1000, 1_000_000_000)
      $0.lastPair = (1000, 2_000_000_000)
    },
    Case(testDescription: "a clock that runs backwards") {
      $0.firstPair = (1000, 2_000_000_000)
      $0.lastPair = (2_001_000, 1_000_000_000)
    },
    Case(testDescription: "no start") {
      $0.ticksPerSecond = 1_000_000_000
      $0.processStart = 0
    },
    Case(testDescription: "an emulator") {
      $0.ticksPerSecond = 1_000_000_000
      $0.flags = 4
    },
  ]

  @Test(arguments: uncalibrated) func withoutCalibrationThereAreNoTimes(_ example: Case) throws {
    #expect(try Self.time(atTicks: 5000, example.set) == nil)
  }

  @Test func extremeNumbersGiveATimeAndNoTrap() throws {
    for ticks in [0, 1, UInt64.max / 2, .max] {
      let time = try Self.time(atTicks: ticks) { writer in
        writer.ticksPerSecond = 1
        writer.firstPair = (.max, .max)
        writer.processStart = 1
      }
      #expect(time != nil)
    }
  }

  @Test func marksHaveTimesToo() throws {
    let trace = try trace { writer in
      writer.processStart = 1_000_000_000
      writer.ticksPerSecond = 1_000_000_000
      writer.firstPair = (500, 1_000_000_500)
      writer.addMark("ready", ticks: 700)
    }
    #expect(trace.marks[0].nanoseconds == 700)
  }
}
