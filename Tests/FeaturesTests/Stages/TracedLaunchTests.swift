import ByteReading
import LaunchLogFormat
import Stages
import TestSupport
import Testing

/// The memory that the stage tracer writes.
private struct TracerMemory {
  private var writer = ByteWriter()
  /// The offsets of the records.
  private(set) var records: [Int] = []

  init() {
    writer.write(UInt64(0))
    writer.write(UInt64(0))
  }

  mutating func add(
    _ kind: StageTrace.Kind, object: UInt32 = 0, at time: UInt64, value: UInt64 = 0,
    name: String? = nil
  ) {
    let bytes: [UInt8] = name.map { Array($0.utf8) + [0] } ?? []
    records.append(writer.count)
    writer.write(kind.rawValue)
    writer.write(object)
    writer.write(time)
    writer.write(value)
    writer.write(UInt64(bytes.count))
    writer.write(bytes)
    writer.align(to: 8)
  }

  func time(of record: Int) -> UInt64 {
    FileBytes(writer.bytes).loadUnaligned(UInt64.self, at: records[record] + 8)
  }

  mutating func setTime(of record: Int, to time: UInt64) {
    writer.overwrite(at: records[record] + 8, with: time)
  }

  mutating func swapTimes(_ one: Int, _ other: Int) {
    let times = (time(of: one), time(of: other))
    setTime(of: one, to: times.1)
    setTime(of: other, to: times.0)
  }

  var bytes: [UInt8] {
    var whole = writer
    whole.overwrite(at: 0, with: UInt64(whole.count))
    return whole.bytes
  }
}

/// One launch on Linux, and the stage to which each nanosecond belongs.
@Suite struct TracedLaunchTests {
  /// A launch up to the call of the first initializer. The program is object 0, and liba.so is object 1.
  private static func begun() -> TracerMemory {
    var memory = TracerMemory()
    memory.add(.version, at: 1500, value: 7000)
    memory.add(.object, object: 0, at: 1510, name: "")
    memory.add(.loading, at: 1600)
    memory.add(.object, object: 1, at: 1700, name: "/lib/liba.so")
    memory.add(.relocated, at: 3000)
    memory.add(.begin, object: 1, at: 3100)
    return memory
  }

  /// A whole launch. The program's libraries are liba.so and libb.so; an initializer of liba.so opens libb.so.
  private static func memory(main: Bool = true) -> TracerMemory {
    var memory = begun()
    memory.add(.function, object: 1, at: 3150, value: 0x10)
    memory.add(.loading, at: 3155)
    memory.add(.object, object: 2, at: 3160, name: "/lib/libb.so")
    memory.add(.relocated, at: 3165)
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
    DividedLaunches([Self.traced(memory.bytes, statistics)]).launches[0]
  }

  private static func traced(_ bytes: [UInt8], _ statistics: LoggedLaunch?) -> TracedLaunch {
    TracedLaunch(
      StageTrace(FileBytes(bytes)), start: 1000, end: 9000, statistics: statistics, endName: "exit")
  }

  private func table(_ launch: TracedLaunch) -> [String] {
    launch.stages.map { "\($0.kind.isPart ? "- " : "")\($0.name): \(Int($0.nanoseconds))" }
  }

  /// glibc 2.36 prints a tenth of the number of cycles.
  @Test(arguments: [1.0, 10])
  func everyNanosecondBelongsToOneStage(divisor: Double) {
    let launch = launch(
      Self.memory(),
      Self.statistics(3600 / divisor, relocation: 1600 / divisor, loading: 800 / divisor))
    #expect(
      table(launch) == [
        "kernel: exec: 200", "loader: its own start, and the tracer's: 300",
        "tracing: the tracer's start: 100", "loader: loading: 400", "- liba.so: 100",
        "loader: relocation, with symbol look-up: 800",
        "loader: other work: 200", "tracing: the loader's statistics: 100",
        "initializers of liba.so: 160", "- loading libb.so: 5", "initializers of libb.so: 50",
        "loader: between initializers: 0", "the program's start code: 90",
        "initializers of the program: 100", "main until exit: 5500",
      ])
    #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
    #expect(launch.initializers.map(\.nanoseconds) == [50, 40, 50, 50])
    #expect(launch.initializers.map(\.start) == [2100, 2200, 2250, 2400])
    #expect(launch.mappings.map(\.end) == [510, 700, 2160])
    #expect(launch.mappings.map(\.nanoseconds) == [nil, 100, 5])
  }

  /// A task before main is a part of the initializers that ran it. A task that begins after the end is left out.
  @Test func tasksArePartsOfTheStagesThatRanThem() {
    var memory = Self.begun()
    memory.add(.mark, at: 3110, name: "begin task a of early")
    memory.add(.mark, at: 3120, name: "end task a of early")
    memory.add(.function, object: 1, at: 3150, value: 0x10)
    memory.add(.end, object: 1, at: 3200)
    memory.add(.begin, object: 0, at: 3400)
    memory.add(.mark, at: 3410, name: "begin task b of early")
    memory.add(.mark, at: 3440, name: "end task b of early")
    memory.add(.function, object: 0, at: 3450, value: 0x30)
    memory.add(.end, object: 0, at: 3500)
    memory.add(.main, at: 3500, value: 11000)
    memory.add(.mark, at: 4000, name: "begin task c of late")
    memory.add(.mark, at: 5000, name: "end task c of late")
    memory.add(.mark, at: 6000, name: "begin task d of late")
    memory.add(.mark, at: 9500, name: "end task d of late")
    memory.add(.mark, at: 9600, name: "begin task e of late")
    let launch = launch(memory, nil)
    #expect(
      table(launch).dropFirst(4) == [
        "initializers of liba.so: 100", "- task a of early: 10",
        "loader: between initializers: 0",
        "the program's start code: 200", "initializers of the program: 100",
        "- task b of early: 30", "main until exit: 5500", "- task c of late: 1000",
        "- task d of late, which did not end: 3000",
      ])
    #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
  }

  /// Neither the printed cycles nor ten times their number agree with the times that the tracer saw.
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
      let launch = DividedLaunches([Self.traced(copy, Self.usual)]).launches[0]
      #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
    }
  }

  private static let usual = statistics(3600, relocation: 1600, loading: 800)

  /// Each pair of records is exchanged, and each time is set to each extreme value.
  @Test func timesOfNoLaunchAreNotSeparated() {
    let memory = Self.memory()
    func expectSound(_ memory: TracerMemory) -> TracedLaunch {
      let launch = launch(memory, Self.usual)
      #expect(StagedLaunch(launch.stages).nanoseconds == 8000)
      #expect(launch.stages.allSatisfy { $0.nanoseconds >= 0 })
      #expect(launch.initializers.allSatisfy { $0.start <= 8000 && $0.nanoseconds <= 8000 })
      #expect(launch.mappings.allSatisfy { $0.end <= 8000 && $0.nanoseconds ?? 0 <= 8000 })
      return launch
    }
    let places = memory.records.indices
    for place in places {
      for time in [0, 1, 999, 1000, 9000, 9001, UInt64.max / 2, UInt64.max - 1, UInt64.max] {
        var copy = memory
        copy.setTime(of: place, to: time)
        _ = expectSound(copy)
        for later in places where later > place { copy.setTime(of: later, to: time) }
        _ = expectSound(copy)
      }
      for other in places {
        var copy = memory
        copy.swapTimes(place, other)
        let launch = expectSound(copy)
        if memory.time(of: place) != memory.time(of: other) {
          #expect(launch.trace.damage == "times that decrease" && launch.stages.count == 1)
        }
      }
    }
  }

  @Test func initializersNeedAnObject() {
    var memory = TracerMemory()
    memory.add(.version, at: 1500, value: 7000)
    memory.add(.loading, at: 1600)
    memory.add(.relocated, at: 3000)
    memory.add(.begin, object: 0, at: 3400)
    let divided = DividedLaunches([Self.traced(memory.bytes, nil)])
    #expect(divided.division == .whole && divided.leftOut == nil)
    #expect(
      divided.limit
        == "the program wrote over the tracer's memory, which has initializers of no object")
  }

  /// Another process ran while the loader started, and glibc printed a tenth of the loader's cycles. So one tenth is
  /// possible, too.
  @Test func aLoaderThatWaitedHasTheScaleOfTheOtherLaunches() {
    // All times are 100 µs later, because the loader may have begun long before.
    var memory = TracerMemory()
    memory.add(.version, at: 101_500, value: 7000)
    memory.add(.object, at: 101_510, name: "")
    memory.add(.loading, at: 101_600)
    memory.add(.relocated, at: 103_000)
    memory.add(.begin, at: 103_400)
    memory.add(.function, at: 103_450)
    memory.add(.end, at: 103_500)
    memory.add(.main, at: 103_500, value: 11_000)
    let trace = StageTrace(FileBytes(memory.bytes))
    let launches = [4000.0, 360, 360].map {
      TracedLaunch(
        trace, start: 1000, end: 109_000,
        statistics: Self.statistics($0, relocation: 160, loading: 80), endName: "exit")
    }
    for some in [launches, [launches[0]]] {
      let divided = DividedLaunches(some)
      #expect(divided.division == .loader && divided.indexes == Array(some.indices))
      let stages = divided.launches[0].stages
      #expect(stages[0].name == "kernel: exec" && stages[0].nanoseconds == 82_000)
      #expect(stages.first { $0.name == "loader: loading" }?.nanoseconds == 400)
    }
  }

  @Test func launchesThatCannotBeDividedAlikeAreLeftOut() {
    let good = Self.traced(Self.memory().bytes, Self.usual)
    let without = Self.traced(Self.memory().bytes, nil)
    let damaged = Self.traced(Self.memory().bytes.map { $0 ^ 0xff }, Self.usual)
    let most = DividedLaunches([without, good, damaged, good])
    #expect(most.division == .loader && most.indexes == [1, 3])
    #expect(most.leftOut == "the loader wrote no statistics")
    let few = DividedLaunches([without, good, without])
    #expect(few.division == .records && few.indexes == [0, 1, 2] && few.leftOut == nil)
    #expect(few.limit == "the loader wrote no statistics")
    #expect(Set(few.launches.map { $0.stages.map(\.name) }).count == 1)
  }
}
