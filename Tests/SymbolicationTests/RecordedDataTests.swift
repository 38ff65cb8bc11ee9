import Addresses
import ByteReading
import Foundation
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests finding data of one build in another build.
@Suite(.needs("ld.lld", "clang")) struct RecordedDataTests {
  /// MOVED is a variable that moves all others, and changes the sizes of some.
  private static let source = """
    #ifdef MOVED
    const char first[5000] = {1};
    const int table[2] = {1, 2};
    #else
    const int table[1000] = {1, 2, 3};
    #endif
    const long many[1000] = {3};
    static int hidden[50] = {7};
    int gone_later[4] = {1};
    const char *word(int n) { return n > 1 ? "a longer text" : n > 0 ? "some words" : "words"; }
    int *use(int n) { return &hidden[n]; }
    """

  private struct Build {
    let data: DataLayout
    let bytes: FileBytes

    init(_ workshop: Workshop, _ name: String) throws {
      bytes = FileBytes([UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent(name))))
      data = try #require(try DataLayout(of: bytes))
    }

    func start(_ name: String) throws -> UInt64 {
      try #require(data.layout.functions.first { "\(data.layout.name(of: $0))" == name }).address
        .rawValue
    }

    /// The address of a text in `.rodata` that follows a zero byte.
    func start(ofText text: String) throws -> UInt64 {
      let section = try #require(data.layout.sections.first { $0.name == ".rodata" })
      let place = try #require(
        Data(bytes.copy(0..<bytes.count)).firstRange(of: Data([0] + text.utf8 + [0])))
      // In position-independent code that is not executable, addresses and offsets are equal.
      let address = UInt64(place.lowerBound + 1)
      try #require(section.range.contains(StatedAddress(rawValue: address)))
      return address
    }
  }

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(source.utf8, "a.c")
    for (name, flags) in [("recorded", []), ("moved", ["-DMOVED", "-Dgone_later=other"])] {
      let result = try workshop.run(
        "clang",
        ["-O1", "-fPIC", "-shared", "-fuse-ld=lld", "-fdata-sections", "a.c", "-o", name] + flags)
      try #require(result.status == 0, "\(result.output)")
    }
  }

  private static func range(_ start: UInt64, _ size: UInt64 = 8) -> AddressRange {
    AddressRange(start: StatedAddress(rawValue: start), size: size)
  }

  @Test func whatWasTouchedIsFoundByNameAndDistance() throws {
    let workshop = try Self.built.copy()
    let (recorded, moved) = (try Build(workshop, "recorded"), try Build(workshop, "moved"))
    let data = RecordedData(recorded.data, of: recorded.bytes)
    func places(_ start: UInt64) -> RecordedData.Places {
      data.places(of: [Self.range(start)], in: moved.data, moved.bytes)
    }
    #expect(places(try recorded.start("many")).found == [Self.range(try moved.start("many"))])
    #expect(
      places(try recorded.start("many") + 4096).found
        == [Self.range(try moved.start("many") + 4096)])
    #expect(
      places(try recorded.start("hidden") + 8).found == [Self.range(try moved.start("hidden") + 8)])
    // The touch is beyond the end of a variable that has become smaller, so it counts as a touch of the variable's
    // first byte.
    #expect(
      places(try recorded.start("table") + 400).found == [Self.range(try moved.start("table"), 1)])
    let gone = places(try recorded.start("gone_later"))
    #expect(gone.found.isEmpty && gone.unknown == 1)
    // Outside the data.
    #expect(places(0) == RecordedData.Places())
    #expect(places(.max - 8) == RecordedData.Places())
  }

  @Test func stringsAreFoundByTheirContents() throws {
    let workshop = try Self.built.copy()
    let (recorded, moved) = (try Build(workshop, "recorded"), try Build(workshop, "moved"))
    let data = RecordedData(recorded.data, of: recorded.bytes)
    for text in ["a longer text", "some words"] {
      let from = try recorded.start(ofText: text) & ~7
      let found = data.places(of: [Self.range(from + 8)], in: moved.data, moved.bytes).found
      let start = try moved.start(ofText: text)
      #expect(
        found.contains {
          $0.start.rawValue >= start && $0.end.rawValue <= start + UInt64(text.utf8.count + 1)
        },
        "\(text): \(found)")
    }
  }

  @Test func damagedImagesAreReadToTheEndHostile() throws {
    let workshop = try Self.built.copy()
    let (recorded, moved) = (try Build(workshop, "recorded"), try Build(workshop, "moved"))
    let ranges = recorded.data.layout.sections.flatMap { section in
      stride(from: section.range.start.rawValue, to: section.range.end.rawValue, by: 512).map {
        Self.range($0)
      }
    }
    for copy in byteFlips(of: moved.bytes.copy(0..<moved.bytes.count)).prefix(100) {
      let bytes = FileBytes(copy)
      guard let data = try? DataLayout(of: bytes) else { continue }
      let forwards = RecordedData(recorded.data, of: recorded.bytes)
        .places(of: ranges, in: data, bytes)
      #expect(forwards.found.count + forwards.unknown >= 0)
      _ = RecordedData(data, of: bytes).places(of: ranges, in: recorded.data, recorded.bytes)
    }
  }
}
