import ByteReading
import LaunchLogFormat
import TestSupport
import Testing

/// Tables that a program writes: event, milliseconds, delta.
@Suite struct StopwatchLogTests {
  /// The deltas are rounded apart from the times.
  static let table = """
    load    0   0
    main    44  44
    did finish launching    295 250
    did init BIOD   489 194
    ELVC did show initial items 7146    6657
    did update slide stack  7326    179
    stop    7326    0

    """

  private func log(_ text: String) throws -> LaunchLog {
    try LaunchLog(parsing: FileBytes(Array(text.utf8)))
  }

  private func refusal(_ text: String) -> String {
    do {
      _ = try log(text)
      return "none"
    } catch { return "\(error)" }
  }

  @Test func eachLineIsAnEvent() throws {
    let log = try log(Self.table)
    #expect(log.warnings.isEmpty)
    let launch = try #require(log.launches.first)
    #expect(log.launches.count == 1 && launch.totalNanoseconds == nil)
    #expect(launch.stages.map(\.name)[2] == "did finish launching")
    #expect(launch.stages.map { $0.nanoseconds / 1e6 } == [0, 44, 295, 489, 7146, 7326, 7326])
  }

  @Test(arguments: [
    "event\tms\tdelta\na b\t1.5\t1.5\nc\t3\t1.5\n", "a b;1,5;1,5\nc;3;1,5\n", "a b,1.5\nc,3\n",
    "\"a b\",1.5,1.5\n\"c\",3,1.5\n", "a b  1.5  1.5\r\nc  3  1.5\r\n", "\n  a b 1,5\n\n\tc 3\n",
  ])
  func separatorsAndDecimalCommasMayDiffer(_ text: String) throws {
    let log = try log(text)
    #expect(log.launches.map { $0.stages.map(\.name) } == [["a b", "c"]])
    #expect(log.launches[0].stages.map(\.nanoseconds) == [1_500_000, 3_000_000])
  }

  @Test(arguments: ["Total pre-main time: 67", "load\t1", "#1 launch: 0.1"])
  func aSingleLineThatMayBeCutIsNoLaunch(_ text: String) throws {
    #expect(refusal(text).hasPrefix("missing a launch:"))
    #expect(try log(text + "\n").launches.count == 1)
  }

  @Test func aSmallerTimeBeginsAnotherLaunch() throws {
    #expect(try log(Self.table + Self.table).launches.map(\.stages.count) == [7, 7])
  }

  @Test func splitsAreSecondsSinceTheOneBefore() throws {
    let log = try log("#1 launch: 0.123\n#2 first screen: 0.100\n#1 launch: 0.5\n")
    #expect(
      log.launches.map { $0.stages.map { ($0.nanoseconds / 1e6).rounded() } } == [
        [123, 223], [500],
      ])
  }

  @Test(arguments: [
    "2020-05-12 10:11:12.123456+0800 App[312:4711] #1 SDK: 0.345\n#2 home: 0.512\n",
    "May 12 10:11:12 iPhone App[312] <Notice>: #1 SDK: 0.345\n#2 home: 0.512\n",
    "2020-05-12 10:11:12.1 App[312:4711] splits:\n#1 SDK: 0.345\n#2 home: 0.512\n",
  ])
  func splitsMayBeBehindThePrefixOfALogger(_ text: String) throws {
    let stages = try log(text).launches.map(\.stages)
    #expect(stages.map { $0.map { $0.nanoseconds / 1e6 } } == [[345, 857]])
  }

  /// Splits after unknown text would be read as milliseconds.
  @Test(arguments: [
    "App: #1 SDK: 0.345\n", "App: #1 SDK: 0.345\n#2 home: 0.512\n",
    "#1 SDK: 0.345\n[App] #2 home: 0.512\n", "#1 SDK: 0.345\nmain 44\n",
  ])
  func splitsBehindOtherTextAreRefused(_ text: String) {
    #expect(refusal(text).hasPrefix("invalid stopwatch: expected one kind of lines"))
  }

  @Test func aWrongDeltaIsAWarning() throws {
    let log = try log("a 1 1\nb 5 9\n")
    #expect(
      log.warnings == [
        "line 2: the delta of 'b' is not the difference between its time and the time of the line before"
      ])
  }

  @Test func aLineThatIsCutOffIsLeftOut() throws {
    for text in ["a 1 1\nb 5 4\nc", "a 1 1\nb 5 4\nc 17 1", "\u{feff}a 1\nb 5\n\"c\", 1"] {
      let log = try log(text)
      #expect(log.launches[0].stages.map(\.name) == ["a", "b"])
      #expect(
        log.warnings == ["the last line has no line feed, so it may be incomplete: it is left out"])
    }
  }

  @Test func errorsNameTheLine() {
    #expect(
      refusal("a 1 1\nwhat is this\nb 2 1\n")
        == "invalid stopwatch: expected an event, milliseconds and a delta, found 'what is this' (at line 2)"
    )
    #expect(refusal("a\t1,145\t3\n").hasPrefix("missing a launch: dyld's or glibc's statistics"))
    #expect(refusal("").hasPrefix("missing a launch: "))
    #expect(refusal("\u{0}\u{1}").hasPrefix("missing a launch: "))
  }

  @Test func damagedTablesAreRefusedOrReadInPart() {
    let bytes = Array(Self.table.utf8)
    for length in hostilePrefixLengths(of: bytes) {
      _ = try? LaunchLog(parsing: FileBytes(Array(bytes[..<length])))
    }
    for copy in byteFlips(of: bytes) { _ = try? LaunchLog(parsing: FileBytes(copy)) }
  }

  @Test(.needs(.time)) func tooManyLaunchesAreRefused() {
    #expect(
      refusal(String(repeating: "a 2\na 1\n", count: 1 << 16))
        == "number of launches too large: expected at most 65536, found 65537 (at offset 0x0)")
  }
}
