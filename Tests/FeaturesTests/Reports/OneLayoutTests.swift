import CommandSupport
import FaultEstimate
import ImageModel
import Prediction
import Reports
import TestSupport
import Testing

/// Code that needs an estimate of one layout only does not estimate other layouts.
@Suite struct OneLayoutTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func estimates(_ trace: String, of layout: String) throws -> LayoutEstimates {
    var launches = LayoutEstimates.Options()
    launches.traces = [builds.path(trace)]
    return try LayoutEstimates(launches, of: try PredictedLayouts(builds.path(layout)))
  }

  @Test(arguments: ["before", "after", "app.rec"])
  func itsEstimateIsThatOfADifferenceFromItself(_ layout: String) throws {
    try builds.writeTrace("more", of: "app.rec", used: SampleBuilds.used + ["gone"])
    for trace in ["app.oftrace", "more"] {
      let alone = try estimates(trace, of: layout)
      var options = LayoutDiff.Options(before: builds.path(layout), after: builds.path(layout))
      options.launches.traces = [builds.path(trace)]
      let diff = try LayoutDiff(options)
      #expect(alone.last.faults.touches == diff.estimates.last.faults.touches)
      #expect(alone.last.faults.curve == diff.estimates.last.faults.curve)
      #expect(alone.last.faults.linuxFaults == diff.estimates.last.faults.linuxFaults)
      #expect(alone.last.faults.total.pages == diff.document.prediction.pages.before)
      #expect(alone.last.present == diff.document.presence?.after)
      #expect(alone.last.functions == diff.document.presence?.all)
      #expect(alone.warnings() == diff.document.warnings)
    }
  }

  @Test func aReportOfOneLayoutHasNoDifference() throws {
    let one = try LaunchReport(["before", "app.oftrace"].map(builds.path), in: .nothing)
    #expect(one.document.layouts.map(\.side) == [.only])
    #expect(one.document.diff == nil)
    #expect(one.imageFormat == .elf && one.warnings.isEmpty)
    let two = try LaunchReport(["before", "after", "app.oftrace"].map(builds.path), in: .nothing)
    #expect(two.document.layouts.map(\.side) == [.before, .after])
    #expect(two.document.diff?.prediction.pages == BeforeAfter(before: 4, after: 1))
    #expect(one.document.layouts[0].touches == two.document.layouts[0].touches)
    #expect(one.document.layouts[0].curve == two.document.layouts[0].curve)
  }

  @Test func aReportSaysOnceWhatItWarnsOf() throws {
    try builds.writeImage(["main", "twin", "twin"], "twins", id: [0x22])
    try builds.write("main\ntwin\n", "twins.order")
    let warnings = try LaunchReport(["twins", "twins.order"].map(builds.path), in: .nothing)
      .warnings
    #expect(
      warnings.map(\.message).filter { $0.contains("several functions") } == [
        "1 name belongs to several functions of the layout; all of these functions are counted"
      ])
  }
}

extension LaunchEnvironment {
  /// An environment without programs.
  fileprivate static let nothing = LaunchEnvironment(searchPath: nil)
}
