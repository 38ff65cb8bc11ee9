import Addresses
import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import TestSupport
import Testing

/// The summary of the launches of a file: `--launches` of `pages`, `measure` and `faults`.
@Suite struct LaunchSummaryTests {
  private static let launches: [DescribedLaunch] = ["help", "list", "broken"].map { name in
    var launch = DescribedLaunch(name: name, command: ["app"], path: "app.l\u{1b}aunches.json")
    launch.isRequired = name != "broken"
    return launch
  }

  /// Returns the document of a launch that executes the 4 KiB pages of code with these numbers.
  private static func pages(_ numbers: [UInt64], library: Bool = false) -> PagesDocument {
    var pages: [PagesDocument.Page] = []
    func touch(_ access: Access, _ segment: Segment, _ number: UInt64) {
      pages.append(
        PagesDocument.Page(
          access: access, address: StatedAddress(rawValue: number << 12), segment: segment,
          function: nil, instruction: nil, instructionImage: nil, step: pages.count))
    }
    for number in numbers { touch(.execute, .text, number) }
    touch(.read, .readOnly, 100)
    touch(.write, .data, 101)
    let images = ["/opt/app"] + (library ? ["/opt/lib.so"] : [])
    return PagesDocument(
      command: ["app"], end: .exited(0), method: "ptrace",
      images: images.map { path in
        PagesDocument.Image(ImageReference(path: path, id: "9f3a"), pages: pages, filePages: [])
      })
  }

  private static var ofPages: LaunchSummary {
    var pages = PagesSummary(of: launches)
    pages.add(launches[0], Self.pages([1, 2, 9]))
    pages.add(launches[1], Self.pages([1, 2, 3, 4], library: true))
    pages.add(launches[2], Self.pages([1, 50]))
    return pages.summary
  }

  private static var ofFaults: LaunchSummary {
    var summary = LaunchSummary(.faults, of: launches)
    var document = FaultsDocumentTests.document
    summary.add(launches[0], document)
    (document.majorFaults, document.requests, document.readBytes) = (7, nil, nil)
    summary.add(launches[1], document)
    return summary
  }

  private static var ofMeasure: LaunchSummary {
    var summary = LaunchSummary(.measure, of: launches)
    for launch in launches { summary.add(launch, MeasureDocumentTests.document("cold-and-warm")) }
    return summary
  }

  @Test(arguments: [
    ("expected", ofPages), ("faults", ofFaults), ("measure", ofMeasure),
  ]) func bothFormsAreAsRecorded(name: String, summary: LaunchSummary) throws {
    try expectGolden(LaunchSummaryText(summary).text, "reporting/summary/\(name).txt")
    try expectGolden(
      String(decoding: summary.json(), as: UTF8.self), "reporting/summary/\(name).json")
  }

  @Test func onlyRequiredLaunchesAreInTheSumAndTheUnion() throws {
    let group = try #require(Self.ofPages.groups.first)
    #expect(group.launches.map { $0.values[0] } == [3, 4, 2])
    #expect(group.sum?[0] == 7)
    #expect(group.union?[0] == 5)
    var optional = PagesSummary(of: [Self.launches[2]])
    optional.add(Self.launches[2], Self.pages([1]))
    #expect(optional.summary.groups[0].sum == nil && optional.summary.groups[0].union == nil)
  }

  @Test func aFigureThatALaunchLacksHasNoSum() {
    let group = Self.ofFaults.groups[0]
    #expect(group.sum?[0] == FaultsDocumentTests.document.majorFaults + 7)
    #expect(group.sum?[3] == nil)
  }

  @Test func aLoopDeviceGivesNoTimes() {
    var document = FaultsDocumentTests.document
    document.device = DeviceSettings(
      kind: .loop, name: "slow", readAheadBytes: 128 << 10, delayNanoseconds: 0)
    var summary = LaunchSummary(.faults, of: Self.launches)
    summary.add(Self.launches[0], document)
    #expect(summary.groups[0].launches[0].values[2] == nil)
  }

  @Test func anImageOfOneLaunchHasAGroup() {
    #expect(Self.ofPages.groups.map(\.launches.count) == [3, 1])
  }
}
