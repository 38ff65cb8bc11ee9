import Addresses
import ImageModel
import TestSupport
import Testing
import TraceSymbolication

/// Tests the names of the data in a trace's first touches.
@Suite struct DataTouchTests {
  static let app = TraceAttributionTests.app
  static let plugin = TraceAttributionTests.plugin

  /// Touches `size` bytes at a stated address of `image`.
  private static func touch(
    _ writer: inout TraceWriter, _ image: TraceWriter.Image, _ address: UInt64, size: UInt64 = 8,
    number: UInt64? = nil
  ) {
    writer.addRecord(
      kind: 3, subject: number ?? image.number, second: size,
      entry: address &+ image.slide)
  }

  private static func range(_ start: UInt64, _ size: UInt64 = 8) -> AddressRange {
    AddressRange(start: StatedAddress(rawValue: start), size: size)
  }

  private static func recordedTrace(_ names: [TraceWriter.Name]? = nil) throws -> Trace {
    try trace {
      $0.addLoad(app)
      $0.addHit(app, guard: 0, entry: 0x1000)
      touch(&$0, app, 0x8010)
      $0.addLoad(plugin)
      touch(&$0, plugin, 0x9000)
      touch(&$0, app, 0x8008)
      $0.names = names
    }
  }

  @Test func touchesHaveStatedAddressesAndTheImageThatTheyName() throws {
    let trace = try Self.recordedTrace()
    #expect(trace.dataHits.map(\.image) == [0, 1, 0])
    #expect(
      trace.dataHits.map(\.touch.bytes) == [
        Self.range(0x8010), Self.range(0x9000), Self.range(0x8008),
      ])
    let steps = trace.dataHits.map(\.touch.step)
    #expect(steps == steps.sorted() && trace.hits[0].step < steps[0])
    #expect(trace.hits.count == 1 && trace.unattributedHits == 0)
    #expect(trace.dataTouches(of: [0]).map(\.bytes) == [Self.range(0x8010), Self.range(0x8008)])
  }

  @Test(arguments: [(0, 8), (77, 8), (1, 0), (1, 65), (1, .max)] as [(UInt64, UInt64)])
  func aTouchOfNoImageOrOfNoGranuleIsCounted(number: UInt64, size: UInt64) throws {
    let trace = try trace {
      $0.addLoad(Self.app)
      Self.touch(&$0, Self.app, 0x8000, size: size, number: number)
    }
    #expect(trace.dataHits == [] && trace.unattributedHits == 1)
  }

  /// Two variables can share a granule, and one can begin or end in it.
  @Test func aGranuleTouchesEachVariableThatOverlapsIt() throws {
    let trace = try Self.recordedTrace([
      .init(address: 0x1000, size: 16, name: "main"),
      .init(address: 0x8000, size: 0x0c, name: "before"),
      .init(address: 0x800c, size: 2, name: "within"),
      .init(address: 0x800e, size: 4, name: "across"),
      .init(address: 0x800e, size: 4, name: "alias"),
      .init(image: 2, address: 0x9004, size: 64, name: "behind padding"),
    ])
    let launches = RecordedFunctions.all(of: trace) { group, names in RecordedImage(names) }
    #expect(launches.map { $0.uses.map(\.names) } == [[["main"]], []])
    let touched = launches.map { $0.dataUses.map { $0.data.map { $0.names.first } } }
    #expect(touched == [[["across"], ["before", "within", "across"]], [["behind padding"]]])
    #expect(
      trace.dataNames(in: RecordedImage.all(namesOf: trace))
        == [["across"], ["behind padding"], ["before", "within", "across"]])
  }

  @Test func aGranuleThatSeveralLoadsTouchCountsOnce() throws {
    let trace = try trace {
      for number in 1...2 as ClosedRange<UInt64> {
        var image = Self.app
        image.number = number
        $0.addLoad(image)
        Self.touch(&$0, image, 0x8000)
        Self.touch(&$0, image, 0x8000 + 8 * number)
        $0.addUnload(image)
      }
    }
    #expect(trace.dataHits.count == 4)
    #expect(trace.imageGroups == [[0, 1]])
    #expect(
      trace.dataTouches(of: [0, 1]).map(\.bytes) == [
        Self.range(0x8000), Self.range(0x8008), Self.range(0x8010),
      ])
  }

  @Test func sealingKeepsTheNamesOfTouchedData() throws {
    let trace = try Self.recordedTrace()
    let names: [[TraceWriter.Name]] = [
      [
        .init(address: 0x8010, size: 8, name: "table"),
        .init(address: 0x8018, size: 8, name: "cold"),
      ],
      [.init(image: 2, address: 0x9000, size: 8, name: "state")],
    ]
    let sealing = trace.namesForSealing(
      names.enumerated().map { index, names in
        RecordedImage(
          names.map {
            RecordedName(
              image: index, address: StatedAddress(rawValue: $0.address), size: $0.size,
              name: SymbolName(bytes: $0.name))
          })
      })
    #expect(sealing.map { String(decoding: $0.name, as: UTF8.self) } == ["table", "state"])
    #expect(sealing.map(\.image) == [1, 2])
  }
}
