import Addresses
import ByteReading
import ImageModel
import LaunchMeasurement
import Prediction
import Stages
import TestSupport
import Testing

@Suite struct StagesDocumentTests {
  private static func launch(_ milliseconds: Double, delay: Double = 0) -> StagedLaunch {
    StagedLaunch([
      LaunchStage("kernel: exec", nanoseconds: 1e6),
      LaunchStage("tracing: the tracer's start", .tracing, nanoseconds: 0.1e6),
      LaunchStage("loader: loading", nanoseconds: milliseconds * 1e6),
      LaunchStage("libb\u{1b}.so", .part, nanoseconds: milliseconds * 0.5e6),
      LaunchStage("initializers of liba.so", .initializers, nanoseconds: 0.01e6),
      LaunchStage("initializers of libb.so", .initializers, nanoseconds: 0.02e6),
      LaunchStage("initializers of libc.so", .initializers, nanoseconds: 2e6),
      LaunchStage("main until exit", nanoseconds: (4 + delay) * 1e6),
    ])
  }

  private static let document: StagesDocument = {
    var document = StagesDocument(precision: 0.03)
    document.device = DeviceSettings("emmc").map {
      StagesDocument.Device(
        $0, [LaunchDevice.Reads(requests: 7, bytes: 8192), .init(requests: 9, bytes: 12288)])
    }
    let launches = [
      launch(3), launch(4), launch(2, delay: 1), launch(3, delay: 2000), launch(3), launch(4),
    ]
    document.tables = [
      StageTable(
        .measured, launches, origins: ["./app --help"],
        untraced: launches.map { $0.nanoseconds - 0.2e6 },
        counts: [StageTable.Count("number of relocations", "12163")]),
      StageTable(
        .stopwatch,
        [
          StagedLaunch([
            LaunchStage("main", .event, nanoseconds: 44e6, thread: 1),
            LaunchStage("first screen", .event, nanoseconds: 251e6, thread: 2),
          ])
        ], origins: ["a.log", "b.log", "c.log", "d.log"]),
    ]
    document.histograms = [
      LaunchHistogram(
        name: "histogrammedTimeToFirstDrawKey", origin: "metrics.json",
        buckets: [
          .init(start: 900e6, end: 910e6, count: 50), .init(start: 1000e6, end: 1010e6, count: 60),
          .init(start: 1500e6, end: 1510e6, count: 30),
        ])
    ]
    document.libraries = [
      StagesDocument.LibraryList(
        origin: "a.log", system: ["/usr/lib/libSystem.B.dylib"], others: ["/app/App", "/app/Own"])
    ]
    document.images = [
      StagedImage(
        ImageReference(path: "/app", architecture: .x8664, id: "9f3a"), mappedNanoseconds: 1000,
        loadNanoseconds: nil),
      StagedImage(
        ImageReference(path: "/lib/libc.so"), mappedNanoseconds: 2500.5, loadNanoseconds: 1200),
    ]
    document.machine = MeasuringMachine(
      kernel: "Linux 6.1", processor: "A processor", processors: 2, governor: nil, pageBytes: 4096,
      faultAroundBytes: 65536, load: 0.5)
    document.initializers = [
      TimedInitializer(
        image: "/lib/libc.so", address: StatedAddress(rawValue: 0x270e0), nanoseconds: 12.5,
        startNanoseconds: 3000)
    ]
    document.image = ImageReference(path: "./app", architecture: .x8664, id: "9f3a")
    document.state = .warm
    document.comparison = StagesComparison(
      origins: ["./old --help"], launches: 6,
      figures: [
        .init(
          figure: StageFigure(.stages), before: 6, after: 6, medianBefore: 10e6, medianAfter: 11e6,
          change: SampleChange(
            relative: TypicalChange(share: 0.1, interval: 0.05...0.12), difference: 1e6,
            interval: 0.5e6...1.25e6, p: 0.002), correctedP: 0.004),
        .init(
          figure: StageFigure(.stages, "main until\u{1b} exit"), before: 6, after: 5,
          medianBefore: 4e6, medianAfter: 3.9e6,
          change: SampleChange(
            relative: TypicalChange(share: -0.025, interval: nil), difference: -0.1e6,
            interval: nil, p: 0.5), correctedP: 0.5),
      ],
      new: [.init(figure: StageFigure(.stages, "task a of b"), launches: 6, median: 2e6)],
      gone: [.init(figure: StageFigure(.tasks, "c"), launches: 1, median: 3e6)],
      doubts: ["both sets were launched on different machines"])
    document.warnings = [Diagnostic("a warning", context: ["a.log"])]
    return document
  }()

  @Test func textAndJSONAreAsRecorded() throws {
    try expectGolden(StagesText(Self.document).text, "reporting/stages/expected.txt")
    try expectGolden(
      String(decoding: Self.document.json(), as: UTF8.self), "reporting/stages/expected.json")
  }

  @Test func theRowsOfTheTypicalLaunchAddUp() {
    let table = Self.document.tables[0]
    let sum = table.rows.reduce(0) { $0 + ($1.kind == .part ? 0 : $1.delta) }
    #expect(abs(sum - table.typicalTotal) < 1)
    #expect(table.rows.last { $0.kind != .part }?.elapsed == sum)
    #expect(
      abs(table.typicalTotal - 10.63e6) < 1, "one launch that took two seconds does not move it")
    #expect(table.tracing == 0.1e6)
    #expect(table.seconds.map(\.second) == [0, 2] && table.seconds.map(\.count) == [5, 1])
  }

  @Test(.needs(.time)) func damagedDocumentsNeverTrapHostile() throws {
    let json = Self.document.json()
    let read = try StagesDocument(parsing: FileBytes(json))
    #expect(read.tables == Self.document.tables && read.comparison == Self.document.comparison)
    for copy in byteFlips(of: json, count: 200)
      + hostilePrefixLengths(of: json).map({ Array(json[..<$0]) })
    {
      guard let document = try? StagesDocument(parsing: FileBytes(copy)) else { continue }
      _ = StagesText(document).text
      var only = document
      only.tables = Array(document.tables.prefix(1))
      let base = only
      try? only.compare(with: base)
    }
  }

  @Test(.needs(.time)) func imagesAndInitializersAreReadBack() throws {
    let json = Self.document.json()
    let read = try MeasuredImages(parsing: FileBytes(json))
    #expect(read.images == Self.document.images)
    #expect(read.initializers == Self.document.initializers)
    for copy in byteFlips(of: json, count: 200)
      + hostilePrefixLengths(of: json).map({ Array(json[..<$0]) })
    {
      _ = try? MeasuredImages(parsing: FileBytes(copy))
    }
  }

  @Test(arguments: [
    ("\"loadNanoseconds\": 1200.0", "loadNanoseconds", "1e+18"),
    ("\"mappedNanoseconds\": 2500.5", "mappedNanoseconds", "-1"),
    ("\"startNanoseconds\": 3000.0", "startNanoseconds", "1e+18"),
    ("\"nanoseconds\": 12.5", "nanoseconds", "-1"),
  ])
  func aTimeBeyondTheLimitsIsNamed(member: String, key: String, value: String) throws {
    let text = String(decoding: Self.document.json(), as: UTF8.self)
    #expect(text.contains(member))
    let wrong = text.replacing(member, with: "\"\(key)\": \(value)")
    let error = #expect(throws: ParseError.self) {
      try MeasuredImages(parsing: FileBytes(Array(wrong.utf8)))
    }
    #expect(
      error?.description.hasPrefix("invalid \(key): expected 0 to 1e+18 nanoseconds, found ")
        ?? false, "\(String(describing: error))")
  }

  /// If ten thousand launches vary by 41.9%, a mean within 5% needs 270 launches.
  @Test func tenThousandLaunchesSayHowManyItTakes() {
    let launches = (0..<10_000).map { number in
      StagedLaunch([
        LaunchStage("ready", .event, nanoseconds: 1e9 * (number % 2 == 0 ? 1.419 : 0.581))
      ])
    }
    let table = StageTable(.stopwatch, launches, origins: ["all.log"])
    #expect(abs(table.total.variation - 0.419) < 0.0001)
    #expect(MeasurementPrecision.launchesNeeded(0.05, table.total) == 270)
    #expect(table.seconds.map(\.count) == [5000, 5000])
  }

  private static func rows(_ launches: [[(String, Double)]]) -> [String] {
    StageTable(
      .stopwatch,
      launches.map { events in
        StagedLaunch(
          events.map { name, time in
            LaunchStage(
              name, name.hasPrefix("-") ? .part : .event, nanoseconds: time)
          })
      }, origins: ["a.log"]
    ).rows.map(\.name)
  }

  /// Only the quick launch became idle, long before a typical launch was ready.
  @Test func rowsStandInTheOrderOfTheLaunches() {
    #expect(
      Self.rows([
        [("main", 40), ("ready", 60), ("idle", 20)], [("main", 400), ("shown", 1), ("ready", 600)],
      ]) == ["main", "shown", "ready", "idle"])
    #expect(Self.rows([[("a", 3), ("c", 1)], [("b", 1), ("c", 1)]]) == ["b", "a", "c"])
    // The launches contradict each other.
    #expect(
      Self.rows([
        [("a", 1), ("b", 9), ("c", 1)], [("b", 1), ("a", 1), ("c", 1)], [("b", 1), ("a", 1)],
      ])
        == ["a", "b", "c"])
    // Parts stay with their whole.
    #expect(
      Self.rows([[("a", 1), ("b", 1)], [("a", 90), ("-part", 80), ("b", 1)]]) == [
        "a", "-part", "b",
      ])
  }

  /// Each launch has another event, and one launch has all events in reverse order.
  @Test func manyRowsTakeLittleTime() {
    let names = (0..<20_000).map { "event \($0)" }
    let launches = names.map { [($0, 1.0)] } + [names.reversed().map { ($0, 1.0) }]
    #expect(Self.rows(launches) == names.reversed())
  }

  /// The second thread began to load while the first continued: both took 60.
  @Test func eventsOfOneThreadHaveTheirOwnTimes() {
    let events: [(String, Double, Int?)] = [
      ("main", 10, 1), ("load", 5, 2), ("window", 55, 1), ("loaded", 5, 2), ("done", 1, nil),
    ]
    let table = StageTable(
      .trace,
      [StagedLaunch(events.map { LaunchStage($0.0, .event, nanoseconds: $0.1, thread: $0.2) })],
      origins: ["a.oftrace"])
    #expect(table.hasThreads)
    #expect(table.rows.map(\.threadDelta) == [10, nil, 60, 60, nil])
    #expect(table.rows.map(\.delta) == [10, 5, 55, 5, 1])
  }

  @Test func aHistogramOfNothingHasNoStatistics() {
    let empty = LaunchHistogram(
      name: "a", origin: "b", buckets: [.init(start: 0, end: 1, count: 0)])
    #expect(empty.summary == nil && empty.launches == 0)
  }
}
