import Addresses
import LaunchMeasurement
import TestSupport
import Testing

@Suite struct ProcessMappingsTests {
  private static func file(
    _ path: String, _ addresses: Range<LoadedAddress>, offset: UInt64 = 0
  ) -> PageFaultEvent {
    .mapping(
      .init(addresses: addresses, path: path, fileOffset: FileOffset(rawValue: offset)), process: 1)
  }

  private static func mappings(_ events: [PageFaultEvent]) -> ProcessMappings {
    var mappings = ProcessMappings()
    for event in events { mappings.note(event) }
    return mappings
  }

  /// The file that process 1 has mapped at an address, and the offset of the byte there.
  private static func place(_ address: LoadedAddress, _ mappings: ProcessMappings) -> String? {
    mappings.mapping(of: 1, at: address).map {
      "\($0.path) \($0.fileOffset.rawValue + (address - $0.addresses.lowerBound))"
    }
  }

  /// As a loader maps a library: first the whole file, then segments over it.
  @Test func whatIsMappedOverAnotherLeavesBothSides() {
    let mappings = Self.mappings([
      Self.file("/lib", 0x1000..<0x9000), Self.file("/lib", 0x3000..<0x5000, offset: 0x1000),
      Self.file("/data", 0x4000..<0x6000, offset: 0x70),
    ])
    let expected: [(LoadedAddress, String?)] = [
      (0xfff, nil), (0x1000, "/lib 0"), (0x2fff, "/lib 8191"), (0x3000, "/lib 4096"),
      (0x3fff, "/lib 8191"), (0x4000, "/data 112"), (0x5fff, "/data 8303"), (0x6000, "/lib 20480"),
      (0x8fff, "/lib 32767"), (0x9000, nil),
    ]
    for (address, place) in expected {
      #expect(Self.place(address, mappings) == place, "\(address)")
    }
  }

  @Test func aMappingOverSeveralReplacesThem() {
    let mappings = Self.mappings([
      Self.file("/a", 0x1000..<0x2000), Self.file("/b", 0x3000..<0x4000),
      Self.file("/c", 0x5000..<0x6000), Self.file("/d", 0x1800..<0x5800, offset: 0x800),
      Self.file("/e", 0x7000..<0x7000),
    ])
    #expect(Self.place(0x17ff, mappings) == "/a 2047")
    #expect(Self.place(0x3000, mappings) == "/d 8192")
    #expect(Self.place(0x5800, mappings) == "/c 2048")
    #expect(Self.place(0x7000, mappings) == nil)
  }

  @Test func aForkHasACopyAndExecHasNothing() {
    let mappings = Self.mappings([
      Self.file("/a", 0x1000..<0x2000), .fork(process: 2, parent: 1), .exec(process: 1),
      .fork(process: 2, parent: 2),
    ])
    #expect(mappings.mapping(of: 1, at: 0x1000) == nil)
    #expect(mappings.mapping(of: 2, at: 0x1000)?.path == "/a")
  }

  /// Each new mapping begins before, within or behind the others.
  @Test func anyOrderOfMappingsKeepsTheLastOneAtEachAddress() {
    var random = SeededRandom(seed: 7)
    var events: [PageFaultEvent] = []
    var expected = [String?](repeating: nil, count: 64)
    for number in 0..<400 {
      let start = Int.random(in: 0..<60, using: &random)
      let end = Int.random(in: start...min(64, start + 12), using: &random)
      events.append(
        Self.file(
          "/\(number)",
          LoadedAddress(rawValue: UInt64(start))..<LoadedAddress(rawValue: UInt64(end)),
          offset: UInt64(start)))
      for address in start..<end { expected[address] = "/\(number) \(address)" }
    }
    let mappings = Self.mappings(events)
    for (address, place) in expected.enumerated() {
      #expect(Self.place(LoadedAddress(rawValue: UInt64(address)), mappings) == place)
    }
  }
}
