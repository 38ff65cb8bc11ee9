import ByteReading
import ImageModel
import LaunchMeasurement
import Stages
import TestSupport
import Testing

@Suite struct StagesComparisonTests {
  @Test(
    arguments: [
      ("stages.milliseconds", nil, "milliseconds"),
      ("stages.first screen.milliseconds", "first screen", "milliseconds"),
      ("stages.a.b c.elapsedMilliseconds", "a.b c", "elapsedMilliseconds"),
      ("tasks.milliseconds.milliseconds", "milliseconds", "milliseconds"),
      ("tasks...milliseconds", ".", "milliseconds"),
    ] as [(String, String?, String)])
  func aStageIsWhatIsBetweenTheFirstAndTheLastDot(
    id: String, stage: String?, quantity: String
  ) throws {
    let figure = try #require(StageFigure(id: id))
    #expect(figure.stage == stage && figure.quantity.rawValue == quantity)
    #expect(figure.id == id)
  }

  @Test(arguments: [
    "", "stages", "stages.", "stages..milliseconds", "pages.x.milliseconds", "stages.x.ms",
  ])
  func otherTextIsNoFigure(id: String) { #expect(StageFigure(id: id) == nil) }

  @Test func eachRowAndEachStageOfTasksIsAFigure() throws {
    let samples = try StageLaunches(hasUpload: true).document.samples()
    #expect(
      samples.map(\.figure.id) == [
        "stages.milliseconds", "stages.main.milliseconds", "stages.main.elapsedMilliseconds",
        "stages.first screen.milliseconds", "stages.first screen.elapsedMilliseconds",
        "stages.task database of first.screen one.milliseconds",
        "stages.task settings of first.screen one.milliseconds",
        "stages.task upload of first.screen one.milliseconds", "tasks.milliseconds",
        "tasks.first.screen one.milliseconds",
      ])
    #expect(samples.allSatisfy { $0.times.count == 30 })
    let tasks = try #require(samples.last).times.median / 1e6
    #expect(abs(tasks - 9) < 0.5, "5 ms, 3 ms and 1 ms")
  }

  /// The measurement's own rows are no figures, and the time without the tracer is that of the whole launch.
  @Test func theTracerIsNoPartOfTheFigures() throws {
    let launch = StagedLaunch([
      LaunchStage("kernel: exec", nanoseconds: 1e6),
      LaunchStage("tracing: the start", .tracing, nanoseconds: 7e6),
      LaunchStage("liba.so", .part, nanoseconds: 1e5),
      LaunchStage("again", .event, nanoseconds: 1e6),
      LaunchStage("again", .event, nanoseconds: 2e6),
      LaunchStage("task a of x of y, which did not end", .task, nanoseconds: 1e6),
    ])
    var document = StagesDocument(precision: 0.03)
    document.tables = [StageTable(.measured, [launch], origins: ["app"], untraced: [3e6])]
    let samples = try document.samples()
    #expect(
      samples.map(\.figure.id) == [
        "stages.milliseconds", "stages.kernel: exec.milliseconds", "stages.again.milliseconds",
        "stages.again.elapsedMilliseconds", "stages.again (2).milliseconds",
        "stages.again (2).elapsedMilliseconds",
        "stages.task a of x of y, which did not end.milliseconds", "tasks.milliseconds",
        "tasks.y.milliseconds",
      ])
    #expect(samples[0].times.median == 3e6)
    #expect(samples[4].times.median == 2e6 && samples[5].times.median == 11e6)
  }

  @Test func aHistogramIsAFigure() throws {
    var document = StagesDocument(precision: 0.03)
    document.histograms = [
      LaunchHistogram(
        name: "time to first draw", origin: "m.json",
        buckets: [
          .init(start: 9e8, end: 11e8, count: 1_000_000), .init(start: 2e9, end: 3e9, count: 10),
        ])
    ]
    let samples = try document.samples()
    #expect(samples.map(\.figure.id) == ["stages.time to first draw.milliseconds"])
    #expect(samples[0].times.median == 1e9 && samples[0].times.count == 1_000_010)
  }

  @Test func launchesOfTwoKindsOfFilesHaveNoFigures() throws {
    var document = StageLaunches().document
    document.tables.append(StageTable(.stopwatch, StageLaunches().all, origins: ["a.log"]))
    let mixed = document
    #expect(
      throws: Diagnostic(
        "the launches are of several kinds of files: trace, stopwatch",
        hint: "make a document of each kind")
    ) { try mixed.samples() }
  }

  @Test func aSlowerTaskIsFoundWithItsInterval() throws {
    let document = try StageLaunches(settings: 13, seed: 2).compared(with: StageLaunches())
    let comparison = try #require(document.comparison)
    #expect(comparison.launches == 30 && comparison.doubts.isEmpty)
    #expect(comparison.new.isEmpty && comparison.gone.isEmpty)
    let slower = comparison.figures.filter { $0.verdict == .more }.map(\.figure.id)
    #expect(
      slower == [
        "stages.milliseconds", "stages.first screen.milliseconds",
        "stages.first screen.elapsedMilliseconds",
        "stages.task settings of first.screen one.milliseconds", "tasks.milliseconds",
        "tasks.first.screen one.milliseconds",
      ])
    let id = "stages.task settings of first.screen one.milliseconds"
    let change = try #require(comparison.figures.first { $0.figure.id == id }?.change)
    let interval = try #require(change.interval)
    #expect(interval.contains(change.difference) && interval.contains(10e6))
    #expect(interval.upperBound - interval.lowerBound < 1e6)
    let text = StagesText(document).text
    #expect(text.contains("%  slower     task settings of first.screen one\n"), "\(text)")
  }

  /// Of forty pairs of sets of one build, fewer than one shows a difference on average.
  @Test(.needs(.time)) func noiseShowsNoDifference() throws {
    var wrong = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let document = try StageLaunches(seed: 2 * seed).compared(
        with: StageLaunches(launches: 25, seed: 2 * seed + 1))
      wrong +=
        try #require(document.comparison).figures.allSatisfy { $0.verdict == .notShown } ? 0 : 1
    }
    #expect(wrong <= 2, "\(wrong) of 40")
  }

  @Test func tasksThatOneSetLacksAreNamed() throws {
    let more = try StageLaunches(hasUpload: true, seed: 2).compared(with: StageLaunches())
    let new = try #require(more.comparison?.new)
    #expect(new.map(\.figure.id) == ["stages.task upload of first.screen one.milliseconds"])
    #expect(StagesText(more).text.contains("only here: task upload of first.screen one ("))
    let less = try StageLaunches(seed: 2).compared(with: StageLaunches(hasUpload: true))
    #expect(less.comparison?.gone.map(\.figure) == new.map(\.figure))
    #expect(StagesText(less).text.contains("only in the base: task upload of first.screen one"))
  }

  @Test func tooFewLaunchesHaveNoInterval() throws {
    let document = try StageLaunches(launches: 3, settings: 30).compared(
      with: StageLaunches(launches: 3, seed: 2))
    let figures = try #require(document.comparison?.figures)
    #expect(figures.allSatisfy { $0.change.interval == nil && $0.verdict == .notShown })
    #expect(StagesText(document).text.contains("too few launches"))
  }

  @Test func launchesThatBecomeSlowerRaiseADoubt() throws {
    let document = try StageLaunches(drift: 0.5).compared(with: StageLaunches(seed: 2))
    let doubts = try #require(document.comparison?.doubts)
    #expect(doubts.count == 1)
    #expect(doubts[0].hasPrefix("the time of the launches changed by +"))
    #expect(doubts[0].hasSuffix("% from the first to the last"))
  }

  @Test func otherMachinesRaiseADoubt() throws {
    let machine = MeasuringMachine(
      kernel: "Linux 6.1", processor: "A processor", processors: 2, governor: nil, pageBytes: 4096,
      faultAroundBytes: 65536, load: 0.5)
    var base = StageLaunches().document
    base.machine = machine
    var document = StageLaunches(seed: 2).document
    document.machine = machine
    document.machine?.load = 3
    try document.compare(with: base)
    #expect(document.comparison?.doubts == [])
    document.machine?.processors = 4
    try document.compare(with: base)
    #expect(document.comparison?.doubts == ["both sets were launched on different machines"])
  }

  @Test func setsThatAreNotAlikeAreNotCompared() throws {
    let log = StageTable(.stopwatch, StageLaunches().all, origins: ["a.log"])
    let device = DeviceSettings("emmc").map { StagesDocument.Device($0, []) }
    let others: [(String, (inout StagesDocument) -> Void)] = [
      ("program: expected tool, found app", { $0.image = ImageReference(path: "tool") }),
      ("kind of file: expected stopwatch, found trace", { $0.tables = [log] }),
      ("state of the page cache: expected cold, found none", { $0.state = .cold }),
      ("device: expected emmc", { $0.device = device }),
    ]
    for (message, change) in others {
      var document = StageLaunches().document
      change(&document)
      let error = #expect(throws: Diagnostic.self) {
        try document.compare(with: StageLaunches().document)
      }
      #expect(error?.severity == .mismatch)
      let expected = "the base has launches of another \(message)"
      #expect(error?.message.hasPrefix(expected) ?? false, "\(String(describing: error))")
    }
  }
}
