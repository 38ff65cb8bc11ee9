import Addresses
import ByteReading
import ImageModel
import ModelSamples
import TestSupport
import Testing
import TraceFormat
import TraceSymbolication

/// Tests how hits get names, from the recorded image and from the names in a sealed trace.
@Suite struct RecordedFunctionsTests {
  static let app = TraceWriter.Image()

  /// An image with `helper` at 0x1000, `f` and its alias at 0x1010, `fTm` at 0x1020, and `main` at 0x1030, 16 bytes
  /// each.
  static let image = Image(
    path: "/bin/app", id: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]), architecture: .x8664,
    layout: elfLayout(["helper", "f", "=alias of f", "fTm", "main"]))

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var hits: [(entry: UInt64?, calledFrom: UInt64?)]
    var uses: [String]
    var unnamed = 0
  }

  static let cases = [
    Case(
      testDescription: "entry and return address in one body",
      hits: [(0x1030, 0x1035), (0x1000, 0x1008)], uses: ["main", "helper"]),
    Case(
      testDescription: "a merged body beside its thunk", hits: [(0x1010, 0x1024)],
      uses: ["alias of f+f", "fTm"]),
    Case(
      testDescription: "a tail call shows the caller", hits: [(0x1030, 0x1034), (0x1000, 0x103a)],
      uses: ["main", "helper"]),
    Case(
      testDescription: "no pc-table", hits: [(nil, 0x1035), (nil, 0x1008)],
      uses: ["main", "helper"]),
    Case(
      testDescription: "a call that is the function's last instruction", hits: [(nil, 0x1010)],
      uses: ["helper"]),
    Case(
      testDescription: "code without a name",
      hits: [(0x1100, 0x1108), (nil, nil), (0x1000, 0x1105)],
      uses: ["helper"], unnamed: 2),
  ]

  @Test(arguments: cases) func bodiesAreNamedInTheirOrder(_ example: Case) throws {
    let trace = try Self.trace(example.hits)
    let recorded = RecordedFunctions(trace, group: [0], in: RecordedImage(Self.image))
    #expect(Self.names(recorded) == example.uses)
    #expect(recorded.unnamedUses.count == example.unnamed)
  }

  @Test func blocksBelongToTheFunctionThatHoldsThem() throws {
    func record(_ writer: inout TraceWriter, _ kind: UInt32, _ stated: UInt64, size: UInt64 = 0) {
      writer.addRecord(kind: kind, second: size, entry: stated + Self.app.slide)
    }
    let open = try TraceSymbolicationTests.trace { writer in
      writer.flags = TraceHeader.Flags.breakpoints.rawValue
      writer.addLoad(Self.app)
      record(&writer, 2, 0x1018, size: 4)  // in the middle of f
      record(&writer, 1, 0x1030)
      record(&writer, 2, 0x1030, size: 6)
      record(&writer, 2, 0x1010, size: 8)
      record(&writer, 2, 0x1100, size: 8)  // no function's
      record(&writer, 1, 0x1000)  // without blocks
      record(&writer, 2, 0x10_0000, size: 8)  // no image's
    }
    #expect(open.blockHits.count == 4 && open.unattributedHits == 1)
    let byImage = RecordedFunctions(open, group: [0], in: RecordedImage(Self.image))
    #expect(Self.names(byImage) == ["alias of f+f", "main", "helper"])
    #expect(byImage.uses.map { $0.blocks.map(\.block.offset) } == [[8, 0], [0], []])
    #expect(byImage.uses.map(\.executedBytes) == [12, 6, 16])
    #expect(byImage.uses[0].step < byImage.uses[1].step)
    #expect(byImage.unnamedUses == [])

    let names = open.namesForSealing([RecordedImage(Self.image)])
    #expect(
      Set(names.map { String(decoding: $0.name, as: UTF8.self) })
        == ["f", "alias of f", "main", "helper"])
  }

  /// A sealed trace that is read back gives the same functions as the image.
  @Test(arguments: cases) func aSealedTraceAgreesWithTheImage(_ example: Case) throws {
    let file = try Self.file(example.hits)
    let open = Trace(file, path: "t")
    let names = open.namesForSealing([RecordedImage(Self.image)])
    let sealed = Trace(
      try TraceFile(parsing: FileBytes(file.sealed(TraceFile.Seal(), names: names))), path: "t")
    #expect(sealed.isSealed)
    let byImage = RecordedFunctions(open, group: [0], in: RecordedImage(Self.image))
    let byNames = RecordedFunctions(
      sealed, group: [0], in: RecordedImage(namesOf: sealed, group: [0]))
    #expect(byNames.uses.map(\.step) == byImage.uses.map(\.step))
    #expect(byNames.uses.map(\.address) == byImage.uses.map(\.address))
    #expect(byNames.uses.map(\.size) == byImage.uses.map(\.size))
    #expect(byNames.uses.map(\.names) == byImage.uses.map(\.names))
    #expect(byNames.unnamedUses == byImage.unnamedUses)
  }

  @Test func sealingTwiceChangesNothing() throws {
    let file = try Self.file([(0x1030, 0x1035), (0x1010, 0x1024)])
    let names = Trace(file, path: "t").namesForSealing([RecordedImage(Self.image)])
    let once = file.sealed(TraceFile.Seal(), names: names)
    let twice = try TraceFile(parsing: FileBytes(once)).sealed(
      TraceFile.Seal(), names: names.reversed())
    #expect(once == twice)
  }

  @Test func sealingStoresStartAndBaseline() throws {
    let file = try Self.file([(0x1030, 0x1035)])
    let bytes = file.sealed(
      TraceFile.Seal(processStart: 1000, lastPair: .init(ticks: 5_000_000, nanoseconds: 6_000_000)),
      names: [])
    let sealed = try TraceFile(parsing: FileBytes(bytes))
    #expect(sealed.header.processStart == 1000)
    #expect(sealed.header.lastPair == .init(ticks: 5_000_000, nanoseconds: 6_000_000))
    #expect(sealed.records == file.records)
  }

  @Test func hitsOfAnotherImageAreLeftOut() throws {
    let other = TraceWriter.Image(
      number: 2, path: "/lib/x.so", guards: 0x30_0000..<0x30_0010, id: [7])
    let trace = try TraceSymbolicationTests.trace { writer in
      writer.addLoad(Self.app)
      writer.addLoad(other)
      writer.addHit(other, guard: 0, entry: 0x1030)
      writer.addHit(Self.app, guard: 0, entry: 0x1000)
    }
    let recorded = RecordedFunctions(trace, group: [0], in: RecordedImage(Self.image))
    #expect(Self.names(recorded) == ["helper"])
    #expect(recorded.image.path == "/bin/app")
  }

  @Test func anImageLoadedTwiceGivesEachFunctionOnce() throws {
    var again = Self.app
    again.number = 2
    again.slide = 0x90_0000
    again.guards = 0x50_0000..<0x50_0100
    let trace = try TraceSymbolicationTests.trace { writer in
      writer.addLoad(Self.app)
      writer.addHit(Self.app, guard: 0, entry: 0x1000)
      writer.addUnload(Self.app)
      writer.addLoad(again)
      writer.addHit(again, guard: 1, entry: 0x1030)
      writer.addHit(again, guard: 0, entry: 0x1000)
    }
    let recorded = RecordedFunctions(trace, group: [0, 1], in: RecordedImage(Self.image))
    #expect(Self.names(recorded) == ["helper", "main"])
  }

  @Test func namesOfTheLoaderCountWithoutASeal() throws {
    let trace = try TraceSymbolicationTests.trace { writer in
      writer.addLoad(Self.app)
      writer.addHit(Self.app, guard: 0, entry: 0x1000)
      writer.addLoaderName("exported", at: 0x10_1000)
      writer.addLoaderName("nowhere", at: 0xffff_0000)
    }
    #expect(!trace.isSealed)
    let recorded = RecordedFunctions(
      trace, group: [0], in: RecordedImage(namesOf: trace, group: [0]))
    #expect(Self.names(recorded) == ["exported"])
  }

  @Test func aNameOfUnknownSizeHoldsItsFirstByteAlone() throws {
    let trace = try TraceSymbolicationTests.trace { writer in
      writer.names = [
        .init(address: 0x1000, size: 0, name: "start"), .init(address: 0x1010, size: 8, name: "f"),
      ]
      writer.addLoad(Self.app)
    }
    let names = RecordedImage(namesOf: trace, group: [0])
    func name(_ address: UInt64) -> String? {
      names.body(holding: StatedAddress(rawValue: address))?.names.first?.description
    }
    #expect(
      [0xfff, 0x1000, 0x1001, 0x1010, 0x1017, 0x1018].map(name) == [
        nil, "start", nil, "f", "f", nil,
      ])
  }

  @Test func aRecordedBodyKnowsItsObjectFileIfAllItsNamesAgree() {
    let layout = machOLayout(
      ["l.a(a.o)|_t", "=l.a(a.o)|_u", "a.o|_v", "=b.o|_w", "_x", "=c.o|_y"], isDebugMap: true)
    let image = RecordedImage(
      Image(path: "app", id: nil, architecture: .arm64, layout: layout))
    let bodies = (0..<3).map {
      image.body(holding: StatedAddress(rawValue: 0x1_0000_0400 + 16 * $0))
    }
    #expect(bodies.map { $0?.names.count } == [2, 2, 2])
    #expect(bodies.map { $0?.objectFile?.description } == ["l.a(a.o)", nil, nil])
  }

  @Test func hitsBeforeMainAreThoseOfTheProgram() throws {
    let trace = try Self.trace([(0x1000, nil), (0x1010, nil), (0x1030, nil), (0x1020, nil)])
    #expect(trace.hitsBeforeMain([RecordedImage(Self.image)]) == 2)
    #expect(trace.hitsBeforeMain([nil]) == nil)
    let without = try Self.trace([(0x1000, nil)])
    #expect(without.hitsBeforeMain([RecordedImage(Self.image)]) == nil)
  }

  @Test(arguments: [
    ("main", true), ("_ZN3app4main17h0123456789abcdefE", true), ("_RNvCs1a2b_3app4main", true),
    ("_RNvC3app4main", true), ("_ZN3app5other4main17h0123456789abcdefE", false),
    ("_ZN3app4main17h0123456789abcdefEx", false), ("domain", false), ("main2", false),
    ("_ZN99999999999999999999app4main", false), ("_ZN9", false), ("_RNvCs", false), ("", false),
  ])
  func eachLanguageHasItsMain(name: String, isMain: Bool) throws {
    let image = Image(
      path: "/bin/app", id: nil, architecture: .x8664, layout: elfLayout(["helper", name]))
    let trace = try Self.trace([(0x1000, nil), (0x1010, nil)])
    #expect(trace.hitsBeforeMain([RecordedImage(image)]) == (isMain ? 1 : nil))
  }

  private static func file(_ hits: [(entry: UInt64?, calledFrom: UInt64?)]) throws -> TraceFile {
    var writer = TraceWriter()
    writer.addLoad(app)
    for (index, hit) in hits.enumerated() {
      writer.addHit(app, guard: UInt64(index), entry: hit.entry, calledFrom: hit.calledFrom)
    }
    return try TraceFile(parsing: FileBytes(writer.bytes()))
  }

  private static func trace(_ hits: [(entry: UInt64?, calledFrom: UInt64?)]) throws -> Trace {
    Trace(try file(hits), path: "t.oftrace")
  }

  private static func names(_ recorded: RecordedFunctions) -> [String] {
    recorded.uses.map { $0.names.map(\.description).joined(separator: "+") }
  }
}
