import Addresses
import ImageModel
import Recording
import Rendering
import TestSupport
import Testing

@Suite struct TraceDocumentTests {
  static func address(_ value: UInt64) -> StatedAddress { StatedAddress(rawValue: value) }

  static let whole: Trace = {
    var trace = Trace(path: "app.oftrace", program: "/bin/app", processNumber: 4711)
    trace.isSealed = true
    trace.images = [
      TraceImage(
        number: 1, path: "/bin/app", id: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]),
        slide: Slide(rawValue: 0x1000), text: AddressRange(start: address(0x1000), size: 0x9000),
        guardCount: 64)
    ]
    trace.hits = [
      Hit(
        step: 3, image: 0, guardIndex: 2, entry: address(0x1030), returnAddress: address(0x1035),
        nanoseconds: 1_234_567),
      Hit(
        step: 4, image: 0, guardIndex: 0, entry: address(0x1010), returnAddress: address(0x1024),
        nanoseconds: 9_000_000, thread: 2),
      Hit(
        step: 7, image: 0, guardIndex: 9, returnAddress: address(0x2000), nanoseconds: 12_000_100),
    ]
    trace.marks = [
      Mark(name: "first\nscreen", step: 5, nanoseconds: 10_000_000),
      Mark(name: "end", step: 8, nanoseconds: nil),
    ]
    return trace
  }()

  /// A forked child that was killed, whose image has no identity.
  static let broken: Trace = {
    var trace = Trace(path: "t\u{1b}.99", program: "/bin/größe", processNumber: 99)
    trace.forkedBy = 98
    trace.lostRecords = 5
    trace.lostMarks = 3
    trace.inFlightRecords = 2
    trace.unattributedHits = 1
    trace.end = .stoppedByMark
    trace.images = [
      TraceImage(
        number: 4, path: "/lib/a b.so", id: nil, slide: Slide(rawValue: 0),
        text: AddressRange(start: address(0), size: 16), guardCount: 1)
    ]
    trace.hits = [Hit(step: 0, image: 0)]
    return trace
  }()

  /// A trace that was imported from a list: it has no times, no threads and no process.
  static let imported: Trace = {
    var trace = Trace(path: "list.oftrace", program: "App", processNumber: nil)
    trace.isSealed = true
    trace.method = .imported
    trace.images = [
      TraceImage(
        number: 1, path: "App", id: ImageID(kind: .uuid, bytes: [1, 2]), slide: Slide(rawValue: 0),
        text: AddressRange(start: address(0x1000), size: 0x9000), guardCount: 0)
    ]
    trace.hits = [Hit(step: 4, image: 0, entry: address(0x1030), thread: nil)]
    return trace
  }()

  /// A trace with basic blocks: two blocks of `parse` ran, although it was not entered at its start; the blocks of
  /// `start` are unknown.
  static let blocks: TraceDocument = {
    var trace = Trace(path: "app.oftrace", program: "/bin/app", processNumber: 7)
    trace.method = .breakpoints
    var image = TraceImage(
      number: 1, path: "/bin/app", id: ImageID(kind: .buildID, bytes: [1, 2]),
      slide: Slide(rawValue: 0), text: AddressRange(start: address(0x1000), size: 0x9000),
      guardCount: 12)
    image.blockCount = 345
    trace.images = [image]
    trace.hits = [
      Hit(step: 3, image: 0, entry: address(0x1000)),
      Hit(step: 4, image: 0, entry: address(0x1100)),
    ]
    trace.blockHits = [(2, 0x2010, 16), (5, 0x1100, 8), (6, 0x2040, 4)].map {
      BlockHit(step: $0.0, image: 0, block: AddressRange(start: address($0.1), size: $0.2))
    }
    func function(
      _ name: SymbolName?, _ step: Int, _ start: UInt64, _ size: UInt64, _ executed: UInt64,
      _ blocks: Int?
    ) -> ExecutedFunction {
      ExecutedFunction(
        step: step, image: 0, address: address(start), name: name, sizeBytes: size,
        executedBytes: executed, blockCount: blocks)
    }
    return TraceDocument(
      trace, hitNames: [["start"], ["main"]],
      functions: [
        function("parse", 2, 0x2000, 4000, 20, 2), function("start", 3, 0x1000, 38, 38, nil),
        function("main", 4, 0x1100, 8, 8, 1), function(nil, 7, 0x3000, 0, 0, 0),
      ])
  }()

  /// A trace with touches of data: a table, two variables in one granule, and data without a name.
  static let data: TraceDocument = {
    var trace = whole
    trace.marks = []
    trace.dataHits = [(4, 0x8000), (5, 0x8010), (6, 0x9000), (8, 0x8008)].map {
      DataHit(
        image: 0,
        touch: DataTouch(
          step: $0.0, bytes: AddressRange(start: address($0.1), size: 8),
          nanoseconds: 9_000_000 + UInt64($0.0)))
    }
    let table = TouchedData(names: ["table"], section: ".rodata")
    return TraceDocument(
      trace, hitNames: [["main"], ["$s1f"], []],
      touchedData: [
        table, TouchedData(names: ["first", "größe"], section: ".data"),
        TouchedData(names: [], section: nil), table,
      ])
  }()

  static func document(_ name: String) -> TraceDocument {
    switch name {
    case "blocks": blocks
    case "whole": TraceDocument(whole, hitNames: [["main"], ["$s1f", "$s1fTm"], []])
    case "imported": TraceDocument(imported, hitNames: [["_main"]])
    default: TraceDocument(broken, hitNames: [[]])
    }
  }

  @Test func fourTimesTheImagesTakeLessThanEightTimesTheTime() {
    let growth = costGrowth(from: 1000, by: 4) { count in
      var trace = Trace(path: "app.oftrace", program: "/bin/app", processNumber: 7)
      trace.images = (0..<count).map { number in
        TraceImage(
          number: UInt64(number), path: "/lib/\(number)", id: nil, slide: Slide(rawValue: 0),
          text: AddressRange(start: Self.address(0x1000), size: 16), guardCount: 4)
      }
      trace.hits = (0..<count).map { Hit(step: $0, image: $0, entry: Self.address(0x1000)) }
      let names = [[SymbolName]](repeating: [], count: count)
      TraceDocument(trace, hitNames: names).json(demangle: nil) { _ in }
    }
    #expect(growth < 8)
  }

  @Test(arguments: ["whole", "broken", "imported", "blocks"]) func textIsAsRecorded(
    _ name: String
  )
    throws
  {
    try expectGolden(
      TraceText(Self.document(name), names: upperCase).text, "reporting/trace/\(name)/expected.txt")
  }

  @Test(arguments: ["whole", "broken", "imported", "blocks"]) func jsonIsAsRecorded(
    _ name: String
  )
    throws
  {
    let demangled: NameWording = { upperCase($0) }
    let document = Self.document(name)
    let json =
      ["whole", "blocks"].contains(name)
      ? collected { document.json(demangle: demangled, to: $0) } : document.json()
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/trace/\(name)/expected.json")
    #expect(try parsedJSON(json)["schema"] as? String == TraceDocument.schema)
  }

  @Test func touchedDataIsALineForEachVariableAndAnElementForEachGranule() throws {
    let lines = TraceText(Self.data, names: upperCase).text.split(separator: "\n")
    let rows = lines.drop { !$0.contains("SECTION") }.dropFirst(2).map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(
      rows == [
        ["4", "9.000", "0", "16", ".rodata", "TABLE"],
        ["5", "9.000", "0", "8", ".data", "FIRST,", "GRÖSSE"],
        ["6", "9.000", "0", "8", "without", "a", "name,", "first", "at", "0x9000"],
      ])
    #expect(lines.contains("  data:     4 granules touched, 32 bytes"))

    let json = try parsedJSON(Self.data.json())
    let data = try #require(json["data"] as? [[String: Any]])
    #expect(data.map { $0["address"] as? String } == ["0x8000", "0x8010", "0x9000", "0x8008"])
    #expect(data.map { $0["step"] as? Int } == [4, 5, 6, 8])
    #expect(data.map { $0["sizeBytes"] as? Int } == [8, 8, 8, 8])
    #expect(
      data.map { $0["names"] as? [String] } == [["table"], ["first", "größe"], [], ["table"]])
    #expect(data.map { $0["section"] as? String } == [".rodata", ".data", nil, ".rodata"])
    let whole = TraceDocument(Self.whole, hitNames: [[], [], []])
    #expect(try parsedJSON(whole.json())["data"] == nil)
  }

  @Test func narrowTerminalsShortenNamesAlone() {
    let long = SymbolName(String(repeating: "name", count: 30))
    let document = TraceDocument(Self.whole, hitNames: [[long], [long, "end"], []])
    let lines = TraceText(document, width: 60).text.split(separator: "\n").map(String.init)
    let table = lines.drop(while: { !$0.contains("STEP") })
    #expect(table.allSatisfy { line in line.count <= 60 })
    #expect(table.contains { line in line.contains("…") && line.hasSuffix(" → end") })
    #expect(lines.contains("  program:  /bin/app, process 4711"))
  }
}
