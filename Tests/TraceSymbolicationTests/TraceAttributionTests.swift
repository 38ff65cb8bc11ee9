import Addresses
import ByteReading
import ImageModel
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

/// The trace that `write` assembles, read as a command reads it.
func trace(_ write: (inout TraceWriter) -> Void) throws -> Trace {
  var writer = TraceWriter()
  write(&writer)
  return Trace(try TraceFile(parsing: FileBytes(writer.bytes())), path: "t.oftrace")
}

/// Tests to which image a hit is attributed.
@Suite struct TraceAttributionTests {
  static let app = TraceWriter.Image()
  static let plugin = TraceWriter.Image(
    number: 2, path: "/lib/plugin.so", slide: 0x70_0000, guards: 0x30_0000..<0x30_0010, id: [1])
  /// Another plugin, loaded at the address of the first plugin.
  static let other = TraceWriter.Image(
    number: 3, path: "/lib/other.so", slide: 0x70_0000, guards: 0x30_0000..<0x30_0010, id: [2])

  /// An event in a launch: an image is loaded or unloaded, or a function is hit.
  enum Event: Sendable {
    case load(TraceWriter.Image)
    case unload(TraceWriter.Image)
    /// A loaded address of a guard.
    case hit(UInt64)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var events: [Event]
    /// The file names of the images to which the hits are attributed.
    var owners: [String]
    var unattributed = 0
  }

  static let cases = [
    Case(
      testDescription: "two images",
      events: [.load(app), .load(plugin), .hit(0x20_0004), .hit(0x30_0008)],
      owners: ["app", "plugin.so"]),
    Case(
      testDescription: "before its image's initialiser",
      events: [.hit(0x20_0000), .load(app), .hit(0x30_0000), .load(plugin)],
      owners: ["app", "plugin.so"]),
    Case(
      testDescription: "behind the unload, at exit",
      events: [.load(plugin), .unload(plugin), .hit(0x30_0004)],
      owners: ["plugin.so"]),
    Case(
      testDescription: "the address used again",
      events: [
        .load(plugin), .hit(0x30_0000), .unload(plugin), .load(other), .hit(0x30_0000),
        .hit(0x30_0004),
      ], owners: ["plugin.so", "other.so", "other.so"]),
    Case(
      testDescription: "the address used again, hit before the second initialiser",
      events: [
        .load(plugin), .hit(0x30_0000), .unload(plugin), .hit(0x30_0000), .load(other),
        .hit(0x30_0004),
      ], owners: ["plugin.so", "other.so", "other.so"]),
    Case(
      testDescription: "the address used again without an unload record",
      events: [.load(plugin), .hit(0x30_0000), .load(other), .hit(0x30_0000), .hit(0x30_0008)],
      owners: ["plugin.so", "other.so", "other.so"]),
    Case(
      testDescription: "guards of nobody",
      events: [.load(app), .hit(0x20_0100), .hit(0x1f_fffc), .hit(0x20_00fc)],
      owners: ["app"], unattributed: 2),
    Case(
      testDescription: "no image at all", events: [.hit(0x20_0000)], owners: [], unattributed: 1),
    Case(
      testDescription: "unload of an unknown number",
      events: [.load(app), .unload(plugin), .hit(0x20_0000)], owners: ["app"]),
  ]

  @Test(arguments: cases) func eachHitHasItsOwner(_ example: Case) throws {
    let trace = try trace { writer in
      for event in example.events {
        switch event {
        case .load(let image): writer.addLoad(image)
        case .unload(let image): writer.addUnload(image)
        case .hit(let address): writer.addRecord(kind: 1, subject: address)
        }
      }
    }
    let owners = trace.hits.map {
      trace.images[$0.image].path.split(separator: "/").last.map(String.init)
    }
    #expect(owners == example.owners)
    #expect(trace.unattributedHits == example.unattributed)
  }

  @Test func anImageLoadedTwiceIsOneGroup() throws {
    var again = Self.plugin
    again.number = 4
    again.slide = 0x90_0000
    again.guards = 0x50_0000..<0x50_0010
    let trace = try trace { writer in
      writer.addLoad(Self.app)
      writer.addLoad(Self.plugin)
      writer.addUnload(Self.plugin)
      writer.addLoad(again)
      writer.addLoad(Self.other)
    }
    #expect(trace.imageGroups == [[0], [1, 2], [3]])
  }

  @Test func addressesAreStatedAndOutsideTheCodeThereAreNone() throws {
    // A slide that the loader added modulo 2^64.
    var image = Self.app
    image.slide = 0 &- 0x1000
    let trace = try trace { writer in
      writer.addLoad(image)
      writer.addHit(image, guard: 3, entry: 0x2000, calledFrom: 0x2005)
      writer.addHit(image, guard: 4, entry: 0x9000, calledFrom: 0x8fff)
      writer.addHit(image, guard: 5, calledFrom: 0x9001)
    }
    #expect(trace.hits.map(\.entry?.rawValue) == [0x2000, nil, nil])
    #expect(trace.hits.map(\.returnAddress?.rawValue) == [0x2005, 0x8fff, nil])
    #expect(trace.hits.map(\.guardIndex) == [3, 4, 5])
    #expect(
      trace.images[0].text == AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x8000))
    #expect(trace.images[0].guardCount == 64)
  }

  @Test func threadsAreNumberedByTheirFirstHit() throws {
    let trace = try trace { writer in
      writer.addLoad(Self.app)
      for (index, thread) in [900, 17, 900, 40_000].enumerated() {
        writer.addHit(Self.app, guard: UInt64(index), thread: UInt32(thread))
      }
    }
    #expect(trace.hits.map(\.thread) == [1, 2, 1, 3])
  }

  @Test func theHeaderTellsWhoRanAndHowItEnded() throws {
    let forked = try trace { writer in
      writer.flags = 1
      writer.parent = 99
      writer.lostRecords = 5
      writer.state = 2
      writer.addRecord(kind: 0)
      writer.addRecord(kind: 9)
      writer.addMark("first screen")
    }
    #expect(forked.forkedBy == 99)
    #expect(forked.lostRecords == 5)
    #expect(forked.inFlightRecords == 1)
    #expect(forked.end == .stoppedByMark)
    #expect(forked.marks.map(\.name) == ["first screen"])
    #expect(!forked.isSealed)
    let plain = try trace { $0.state = 77 }
    #expect(plain.forkedBy == nil)
    #expect(plain.end == .exit)
    #expect(plain.program == "/bin/app")
  }
}
