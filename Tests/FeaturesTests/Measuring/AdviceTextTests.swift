import Counting
import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import TestSupport
import Testing

@Suite struct AdviceTextTests {
  /// A build, and its costs if `milliseconds` are given: 8 cold and 8 warm launches, and the memory.
  static func build(
    tablePages: UInt64, milliseconds: Double? = nil, requests: UInt64 = 9
  ) -> AdviceDocument.Build {
    var build = AdviceDocument.Build(
      DataPagesTextTests.image(tablePages: tablePages), fileBytes: 4096 * (tablePages + 2))
    guard let milliseconds else { return build }
    func launches(_ milliseconds: Double, cold: Bool) -> [MeasuredLaunch] {
      (0..<8).map { number in
        var launch = MeasureDocumentTests.launch(milliseconds + Double(number) / 10, cold: cold)
        launch.requests = cold ? requests : nil
        return launch
      }
    }
    var costs = AdviceDocument.Costs()
    costs.cold = .init(launches(milliseconds, cold: true), since: launches(30, cold: true))
    costs.warm = .init(launches(3, cold: false), since: launches(3, cold: false))
    costs.memory = .init(
      MeasureDocumentTests.memory("after", "app", [600 + tablePages], on: "ext4").figures)
    build.costs = costs
    return build
  }

  private static func change(
    _ name: String, _ outcome: AdviceDocument.Outcome, givesUp: String? = nil
  ) -> AdviceDocument.Change {
    AdviceDocument.Change(
      name: name, linking: ["-Wl,-z,\(name)"], compiling: [], effect: "changes \(name)",
      needs: name == "best" ? "a linker" : nil, givesUp: givesUp, outcome: outcome)
  }

  static let document: AdviceDocument = {
    var document = AdviceDocument(
      ImageReference(path: "app", architecture: .x8664, id: "9f3a"), command: ["./app", "a b"],
      present: build(tablePages: 30))
    document.variation = 0
    document.changes = [
      change("best", .measured(build(tablePages: 2))), change("same", .unchanged),
      change("more", .measured(build(tablePages: 31))),
      change("bad", .failed("the command failed")),
      change("risky", .measured(build(tablePages: 0)), givesUp: "something"),
    ]
    document.together = AdviceDocument.Together(
      names: ["best"], linking: ["-Wl,-z,best"], compiling: [], build: build(tablePages: 2))
    return document
  }()

  /// The document of a run with `--both --device slow --memory`.
  static let measuredDocument: AdviceDocument = {
    var document = AdviceDocument(
      ImageReference(path: "app", architecture: .x8664, id: "9f3a"), command: ["./app"],
      present: build(tablePages: 30, milliseconds: 30, requests: 30))
    document.measurement.states = [.cold, .warm]
    document.measurement.device = DeviceSettings.presets[0]
    document.measurement.countsMemory = true
    document.present.costs?.cold?.comparison = nil
    document.present.costs?.warm?.comparison = nil
    document.again = build(tablePages: 30, milliseconds: 30.1, requests: 30).costs
    document.variation = 0
    document.changes = [
      change("best", .measured(build(tablePages: 2, milliseconds: 20))),
      change("prefetching", .measured(build(tablePages: 30, milliseconds: 15, requests: 3))),
    ]
    document.together = AdviceDocument.Together(
      names: ["best", "prefetching"], linking: ["-Wl,-z,best", "app-prefetch.o"],
      compiling: ["-ffunction-sections"],
      build: build(tablePages: 2, milliseconds: 10, requests: 2))
    return document
  }()

  @Test func theReportIsAsRecorded() throws {
    try expectGolden(AdviceText(Self.document).text, "reporting/advise/expected.txt")
    let json = String(decoding: Self.document.json(), as: UTF8.self)
    try expectGolden(json, "reporting/advise/expected.json")
  }

  @Test func theReportHasACostOfEachKindThatWasMeasured() throws {
    try expectGolden(AdviceText(Self.measuredDocument).text, "reporting/advise/measured.txt")
    let json = String(decoding: Self.measuredDocument.json(), as: UTF8.self)
    try expectGolden(json, "reporting/advise/measured.json")
  }

  @Test(arguments: [
    (false, "  (to get a toolset with these options: --files FOLDER)\n"),
    (true, "  or build with --toolset toolset.json, which is among the files of --files\n"),
  ])
  func theReportNamesTheToolset(keepsFiles: Bool, line: String) {
    var document = Self.document
    #expect(!AdviceText(document).text.contains(line))
    document.usesToolset = true
    document.keepsFiles = keepsFiles
    #expect(AdviceText(document).text.contains(line))
  }

  @Test func withoutALinkTheReportSaysThatItPredicts() {
    var document = Self.document
    document.variation = nil
    document.together = nil
    document.changes = []
    let text = AdviceText(document).text
    #expect(
      text.contains(
        "predicted from the tables of the image; nothing was linked\nno option saves a page"
      ))
  }

  /// Fewer requests with more faults, or without a device that counts requests, are not lower costs.
  @Test(arguments: [
    (2, 20, true), (9, 19, true), (9, 20, false), (10, 19, false), (8, 21, false),
  ])
  func costsAreLowerOnlyIfNoneIsHigher(requests: Double, faults: Double, isLess: Bool) throws {
    let other = try #require(Self.build(tablePages: 2, milliseconds: 20).costs?.cold)
    #expect(other.requests == 9 && other.majorFaults == 20)
    var launches = other
    launches.requests = requests
    launches.majorFaults = faults
    #expect(launches.costsLess(than: other) == isLess)
    launches.requests = nil
    #expect(!launches.costsLess(than: other))
  }
}
