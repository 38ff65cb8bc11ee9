import ByteReading
import LaunchLogFormat
import LaunchStages
import Reporting
import TestSupport
import Testing

/// The memory that the stage tracer writes.
private struct TracerMemory {
  private var writer = ByteWriter()

  init() {
    writer.write(UInt64(0))
    writer.write(UInt64(0))
  }

  mutating func add(
    _ kind: StageTrace.Kind, object: UInt32 = 0, at time: UInt64, value: UInt64 = 0,
    name: String? = nil
  ) {
    let bytes: [UInt8] = name.map { Array($0.utf8) + [0] } ?? []
    writer.write(kind.rawValue)
    writer.write(object)
    writer.write(time)
    writer.write(value)
    writer.write(UInt64(bytes.count))
    writer.write(bytes)
    writer.align(to: 8)
  }

  var bytes: [UInt8] {
    var whole = writer
    whole.overwrite(at: 0, with: UInt64(whole.count))
    return whole.bytes
  }
}

/// One launch on Linux: which stage has which nanosecond.
@Suite struct TracedLaunchTests {
  /// The program is object 0, its libraries liba.so and libb.so, of which an initializer of the first opens the second.
  private static func memory(main: Bool = true) -> TracerMemory {
    var memory = TracerMemory()
    memory.add(.version, at: 1500, value: 7000)
    memory.add(.object, object: 0, at: 1510, name: "")
    memory.add(.loading, at: 1600)
    memory.add(.object, object: 1, at: 1700, name: "/lib/liba.so")
    memory.add(.relocated, at: 3000)
    memory.add(.begin, object: 1, at: 3100)
    memory.add(.function, object: 1, at: 3150, value: 0x10)
    memory.add(.object, object: 2, at: 3160, name: "/lib/libb.so")
    memory.add(.begin, object: 2, at: 3200)
    memory.add(.function, object: 2, at: 3240, value: 0x20)
    memory.add(.end, object: 2, at: 3250)
    memory.add(.function, object: 1, at: 3300, value: 0x11)
    memory.add(.end, object: 1, at: 3310)
    memory.add(.begin, object: 0, at: 3400)
    memory.add(.function, object: 0, at: 3450, value: 0x30)
    memory.add(.end, object: 0, at: 3500)
    if main { memory.add(.main, at: 3500, value: 11000) }
    return memory
  }

  /// A cycle takes half a nanosecond.
  private static func statistics(_ total: Double, relocation: Double, loading: Double)
    -> LoggedLaunch
  {
    var launch = LoggedLaunch(.loaderStatistics)
    launch.totalNanoseconds = total
    launch.stages = [
      LoggedStage("time needed for relocation", nanoseconds: relocation),
      LoggedStage("time needed to load objects", nanoseconds: loading),
    ]
    return launch
  }

  private func launch(_ memory: TracerMemory, _ statistics: LoggedLaunch?) -> TracedLaunch {
    TracedLaunch(
      StageTrace(FileBytes(memory.bytes)), start: 1000, end: 9000, statistics: statistics,
      endName: "exit")
  }

  private func table(_ launch: TracedLaunch) -> [String] {
    launch.stages.map { "\($0.kind == .part ? "- " : "")\($0.name): \(Int($0.nanoseconds))" }
  }

  /// glibc 2.36 prints a tenth of the cycles.
  @Test(arguments: [1.0, 10])
  func everyNanosecondBelongsToOneStage(divisor: Double) {
    let launch = launch(
      Self.memory(),
      Self.statistics(3600 / divisor, relocation: 1600 / divisor, loading: 800 / divisor))
    #expect(
      table(launch) == [
        "kernel: exec: 200", "loader: its own start, and the tracer's: 300",
        "tracing: the tracer's start: 100", "loader: loading: 400", "- liba.so: 100",
        "- libb.so: 1460", "loader: relocation, with symbol look-up: 800",
        "loader: other work: 200", "tracing: the loader's statistics: 100",
        "initializers of liba.so: 160", "initializers of libb.so: 50",
        "loader: between initializers: 0", "the program's start code: 90",
        "initializers of the program: 100", "main until exit: 5500",
      ])
    #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
    #expect(launch.initializers.map(\.nanoseconds) == [50, 40, 50, 50])
    #expect(launch.initializers.map(\.start) == [2100, 2200, 2250, 2400])
  }

  /// Neither the printed cycles nor ten times as many agree with what the tracer saw.
  @Test(arguments: [
    nil, statistics(5, relocation: 1, loading: 1), statistics(90000, relocation: 1, loading: 1),
  ])
  func withoutTheLoadersTimesItsWorkIsOneRow(_ statistics: LoggedLaunch?) {
    let launch = launch(Self.memory(), statistics)
    #expect(
      table(launch).prefix(4) == [
        "kernel: exec, and the loader's own start: 500", "tracing: the tracer's start: 100",
        "loader: loading, relocation and symbol look-up: 1400",
        "tracing: the loader's statistics: 100",
      ])
    #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
  }

  @Test func withoutARecordOfMainItsInitializersBelongToIt() {
    let launch = launch(Self.memory(main: false), nil)
    #expect(table(launch).last == "the program's initializers and main until exit: 5500")
  }

  @Test func withoutRecordsThereIsOneRow() {
    let launch = launch(TracerMemory(), nil)
    #expect(table(launch) == ["from exec until exit, not separated: 8000"])
  }

  /// A program may be killed at any instant, and may write over the memory.
  @Test func damagedMemoryStillAddsUp() {
    let bytes = Self.memory().bytes
    let prefixes = hostilePrefixLengths(of: bytes).map { Array(bytes[..<$0]) }
    for copy in prefixes + Array(byteFlips(of: bytes)) {
      let launch = TracedLaunch(
        StageTrace(FileBytes(copy)), start: 1000, end: 9000,
        statistics: Self.statistics(3600, relocation: 1600, loading: 800), endName: "exit")
      #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
    }
  }
}
