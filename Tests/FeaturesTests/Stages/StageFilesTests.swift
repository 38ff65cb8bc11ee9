import Addresses
import ByteReading
import Foundation
import ImageModel
import Stages
import TestSupport
import Testing

/// Files of several kinds are read into one report.
@Suite struct StageFilesTests {
  private func report(
    _ files: [String: String], end: String? = nil
  ) throws -> StagesDocument {
    let workshop = try Workshop()
    for (name, text) in files { try workshop.write(text.utf8, name) }
    return try StageFiles(
      files.keys.sorted().map { workshop.folder.appendingPathComponent($0).path },
      precision: 0.03, end: end
    ).read()
  }

  private static let short = """
    Total pre-main time: 100.00 milliseconds (100.0%)
    dylib loading time: 50.00 milliseconds (50.0%)
    rebase/binding time: 20.00 milliseconds (20.0%)
    ObjC setup time: 10.00 milliseconds (10.0%)
    initializer time: 19.00 milliseconds (19.0%)

    """

  @Test func severalFilesAreOneSetOfLaunches() throws {
    let document = try report([
      "a.log": "main 40\nready 100\n", "b.log": "main 50\nready 120\nidle 500\n",
      "c.log": Self.short,
    ])
    #expect(document.tables.map(\.source) == [.dyldStatistics, .stopwatch])
    let events = document.tables[1]
    #expect(events.launches.count == 2 && events.origins.count == 2)
    #expect(events.rows.map(\.name) == ["main", "ready", "idle"])
    #expect(events.rows.map { $0.elapsed / 1e6 } == [45, 110, 500])
    #expect(events.rows.map(\.count) == [2, 2, 1])
    let stages = document.tables[0]
    #expect(stages.rows.last?.name == "not separated" && stages.rows.last?.delta == 1e6)
    #expect(
      document.warnings.map(\.message) == [
        "these are statistics of an old dyld: since iOS 15 and macOS 12, dyld prints no statistics"
      ])
  }

  @Test func aFolderOfLogsAndADocumentAreTheSameSet() throws {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("logs"), withIntermediateDirectories: true)
    try workshop.write("main 40\nready 100\n".utf8, "logs/a.log")
    try workshop.write("main 50\nready 120\n".utf8, "logs/b.log")
    try workshop.write("no log".utf8, "logs/.hidden")
    let folder = workshop.folder.appendingPathComponent("logs").path
    let document = try StageFiles([folder], precision: 0.03).read()
    #expect(document.tables[0].launches.count == 2)
    #expect(document.tables[0].origins == ["\(folder)/a.log", "\(folder)/b.log"])
    try workshop.write(document.json(), "stages.json")
    let path = workshop.folder.appendingPathComponent("stages.json").path
    let read = try StageFiles([path], precision: 0.05).read()
    #expect(read.tables == document.tables && read.precision == 0.05)
    let ended = try StageFiles([path], precision: 0.03, end: "main").read()
    #expect(ended.tables[0].rows.map(\.name) == ["main"])
    #expect(
      throws: Diagnostic(
        "a document of 'orderfile stages' is a set of launches by itself", context: [path],
        hint: "give it alone, or give the files from which it was made")
    ) { try StageFiles(["\(folder)/a.log", path], precision: 0.03).read() }
    #expect(throws: Diagnostic("no launch has the event 'idle'", context: [path])) {
      try StageFiles([path], precision: 0.03, end: "idle").read()
    }
  }

  /// A launch that was recorded for less than 0.1 ms: its clock can't be told from the two readings of the clocks.
  @Test func aTraceWithoutTimesIsLeftOut() throws {
    var trace = TraceWriter()
    trace.processStart = 1
    trace.firstPair = (1000, 1000)
    trace.lastPair = (51000, 51000)
    trace.addMark("ready", ticks: 2000)
    let workshop = try Workshop()
    try workshop.write(trace.bytes(), "short.oftrace")
    try workshop.write("main 40\n".utf8, "a.log")
    let paths = ["short.oftrace", "a.log"].map {
      workshop.folder.appendingPathComponent($0).path
    }
    let document = try StageFiles(paths, precision: 0.03).read()
    #expect(document.tables.map(\.source) == [.stopwatch])
    #expect(document.warnings.map(\.message) == ["left out: the trace has no times"])
    let error = #expect(throws: Diagnostic.self) {
      try StageFiles([paths[0]], precision: 0.03).read()
    }
    #expect(error?.message == "left out: the trace has no times")
  }

  @Test func countsThatDifferBetweenLaunchesAreNoneOfAll() throws {
    let first = """
      total time: 100.00 milliseconds (100.0%)
      total images loaded:  309 (304 from dyld shared cache)
      total segments mapped: 14, into 2352 pages with 140 pages pre-fetched
      total images loading time: 50.00 milliseconds (50.0%)
      total load time in ObjC:  10.00 milliseconds (10.0%)
      total rebase fixups time:  10.00 milliseconds (10.0%)
      total time in initializers and ObjC +load: 30.00 milliseconds (30.0%)

      """
    let second = first.replacing("309", with: "400")
    #expect(try report(["a.log": first]).tables[0].counts.count == 2)
    for texts in [["a.log": first + second], ["a.log": first, "b.log": second]] {
      #expect(
        try report(texts).tables[0].counts.map(\.name) == ["total segments mapped"], "\(texts)")
    }
  }

  @Test func launchesEndAtTheGivenEvent() throws {
    let document = try report(
      ["a.log": "main 40\nready 100\nidle 200\n", "b.log": "main 40\n"], end: "ready")
    #expect(document.tables[0].launches.map(\.nanoseconds) == [1e8])
    #expect(document.warnings.map(\.message) == ["left out 1 launch without the event 'ready'"])
    #expect(throws: Diagnostic.self) { try report(["b.log": "main 40\n"], end: "ready") }
    let several = try report(
      [
        "a.log": "main 40\nready 100\n", "b.log": "main 40\nmain 30\nmain 20\n",
        "c.log": "main 40\n",
      ], end: "ready")
    #expect(
      several.warnings.map(\.message) == [
        "left out 4 launches without the event 'ready', of 2 files"
      ])
    let whole = try report(["a.log": "main 40\nready 100\n", "b.log": "main 40\n"])
    let text = String(decoding: whole.json(), as: UTF8.self)
    let ofDocument = try report(["stages.json": text], end: "ready")
    #expect(ofDocument.tables[0].launches.count == 1)
    #expect(ofDocument.warnings.map(\.message) == ["left out 1 launch without the event 'ready'"])
    #expect(ofDocument.warnings[0].context.first?.hasSuffix("/stages.json") == true)
  }

  @Test func aTraceHasMarksAndMain() {
    var trace = Trace(path: "a.oftrace", program: "/bin/app", processNumber: 1)
    trace.hits = [
      Hit(step: 0, image: 0, entry: StatedAddress(rawValue: 0x10), nanoseconds: 1000),
      Hit(step: 1, image: 0, entry: StatedAddress(rawValue: 0x20), nanoseconds: 2000),
      Hit(step: 3, image: 0, entry: StatedAddress(rawValue: 0x30), nanoseconds: 9000, thread: 2),
    ]
    trace.marks = [
      Mark(name: "ready", step: 2, nanoseconds: 5000, thread: 2),
      Mark(name: "without a clock", step: 4, nanoseconds: nil),
    ]
    trace.names = [
      RecordedName(image: 0, address: StatedAddress(rawValue: 0x20), size: 8, name: "main")
    ]
    let launch = StagedLaunch(trace)
    #expect(
      launch.stages.map(\.name) == [
        "first recorded function", "main", "ready", "last recorded function",
      ])
    #expect(launch.stages.map(\.nanoseconds) == [1000, 1000, 3000, 4000])
    #expect(launch.stages.map(\.thread) == [1, 1, 2, 2])
    #expect(launch.nanoseconds == 9000)
  }

  @Test func anExportOfXctraceHasTheLifeCycleUntilTheAppRuns() throws {
    func row(_ start: Int, _ duration: Int, _ period: String) -> String {
      """
      <row><start-time id="\(start + 1)" fmt="x">\(start)</start-time><duration id="\(start + 2)" fmt="x">\(duration)</duration>\
      <process id="\(start + 3)" fmt="App (7)"><pid id="\(start + 4)" fmt="7">7</pid></process>\
      <app-period id="\(start + 5)" fmt="\(period)">\(period)</app-period></row>
      """
    }
    let export = """
      <?xml version="1.0"?><trace-query-result><node xpath="x"><schema name="life-cycle-period"/>
      \(row(1000, 2000, "Initializing - System Interface Initialization"))
      \(row(3000, 4000, "Launching - Initial Frame Rendering"))
      \(row(7000, 90000, "Running - Foreground"))</node></trace-query-result>
      """
    let table = try report(["a.xml": export]).tables[0]
    #expect(table.source == .xctrace)
    #expect(table.rows.map(\.delta) == [2000, 4000])
    #expect(throws: Diagnostic.self) {
      try report([
        "a.xml": "<trace-query-result><node><schema name=\"x\"/></node></trace-query-result>"
      ])
    }
  }

  @Test func histogramsAndLibrariesHaveTheirOwnPlaces() throws {
    let metric = """
      {"histogrammedTimeToFirstDraw": {"histogramValue": {"0": {"bucketCount": 3, "bucketStart": "1,000 ms", "bucketEnd": "1,200 ms"}}}}
      """
    let document = try report([
      "a.json": metric, "b.log": "dyld: loaded: /app/App\ndyld: loaded: /usr/lib/libobjc.A.dylib\n",
    ])
    #expect(document.tables.isEmpty)
    #expect(document.histograms[0].summary?.mean == 1.1e9)
    #expect(document.libraries[0].others == ["/app/App"])
    #expect(document.libraries[0].system == ["/usr/lib/libobjc.A.dylib"])
  }

  @Test func filesOfSomethingElseAreRefused() throws {
    for (text, hint) in [
      ("", "missing a launch"), ("<a/>", "missing"), ("{\"a\": 1}", "missing launch histograms"),
    ] {
      do {
        _ = try report(["a": text])
        Issue.record("expected an error")
      } catch let error as Diagnostic {
        #expect(error.message.hasPrefix(hint), "\(error)")
        #expect(error.context.first?.hasSuffix("/a") ?? false)
      }
    }
  }
}
