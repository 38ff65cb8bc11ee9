import Addresses
import LaunchMeasurement
import TestSupport
import Testing

@Suite struct TextFaultsTests {
  static let app: PageFaultEvent = .mapping(
    .init(addresses: 0x1000..<0x4000, path: "/app"), process: 1)

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var events: [PageFaultEvent]
    var count: Int
  }

  /// A range can't hold the very last one.
  static let last = LoadedAddress(rawValue: .max - 1)

  static let cases = [
    Case(testDescription: "nothing", events: [], count: 0),
    Case(
      testDescription: "both ends of a mapping",
      events: [
        app, .fault(PageFault(process: 1, address: 0x1000)),
        .fault(PageFault(process: 1, address: 0x3fff)),
        .fault(PageFault(process: 1, address: 0x4000)),
        .fault(PageFault(process: 1, address: 0xfff)),
      ], count: 2),
    Case(
      testDescription: "another file",
      events: [
        .mapping(.init(addresses: 0x1000..<0x4000, path: "/lib"), process: 1),
        .fault(PageFault(process: 1, address: 0x1000)),
      ], count: 0),
    Case(
      testDescription: "another file over it",
      events: [
        app, .mapping(.init(addresses: 0x2000..<0x3000, path: "/lib"), process: 1),
        .fault(PageFault(process: 1, address: 0x2000)),
        .fault(PageFault(process: 1, address: 0x1000)),
      ], count: 1),
    Case(
      testDescription: "what is not executable",
      events: [
        .mapping(.init(addresses: 0x1000..<0x4000, path: "/app", isExecutable: false), process: 1),
        .fault(PageFault(process: 1, address: 0x1000)),
      ], count: 0),
    Case(
      testDescription: "both sides of another file in its middle",
      events: [
        app, .mapping(.init(addresses: 0x2000..<0x3000, path: "/lib"), process: 1),
        .fault(PageFault(process: 1, address: 0x1fff)),
        .fault(PageFault(process: 1, address: 0x3000)),
        .fault(PageFault(process: 1, address: 0x2fff)),
      ], count: 2),
    Case(
      testDescription: "another process at the same address",
      events: [app, .fault(PageFault(process: 2, address: 0x1000))], count: 0),
    Case(
      testDescription: "a fork has what its parent had",
      events: [
        app, .fork(process: 2, parent: 1), .fault(PageFault(process: 2, address: 0x1000)),
        .mapping(.init(addresses: 0x1000..<0x4000, path: "/lib"), process: 1),
        .fault(PageFault(process: 2, address: 0x1000)),
        .fault(PageFault(process: 1, address: 0x1000)),
      ], count: 2),
    Case(
      testDescription: "a thread keeps what there is",
      events: [app, .fork(process: 1, parent: 1), .fault(PageFault(process: 1, address: 0x1000))],
      count: 1),
    Case(
      testDescription: "exec forgets",
      events: [
        app, .fork(process: 2, parent: 1), .exec(process: 2),
        .fault(PageFault(process: 2, address: 0x1000)),
        .fault(PageFault(process: 1, address: 0x1000)),
      ], count: 1),
    Case(
      testDescription: "the end of the address space",
      events: [
        .mapping(.init(addresses: Range(start: last, size: .max), path: "/app"), process: 1),
        .fault(PageFault(process: 1, address: last)), .fault(PageFault(process: 1, address: 0)),
      ], count: 1),
  ]

  @Test(arguments: cases) func faultsAreCountedWhereTheFileIsMapped(_ case: Case) {
    #expect(TextFaults.count(`case`.events, in: ["/app", "/other"]) == `case`.count)
  }
}
