import Addresses
import Exports
import ImageModel
import PagesFormat
import Rendering
import Stages
import TestSupport
import Testing

@Suite struct ExportTests {
  private static func address(_ value: UInt64) -> StatedAddress { StatedAddress(rawValue: value) }

  /// Names with characters that have a meaning in some format. The last name is not UTF-8.
  static let names: [SymbolName] = [
    "main", "a,\"b\"", "line\r\nbreak", "op;erator ()", "\u{1b}[1m",
    SymbolName(bytes: [0x66, 0xff]),
  ]

  /// A launch with two images, two threads, and a hit whose function is unknown.
  static var launch: ExportedLaunch {
    var launch = ExportedLaunch(
      path: "app.oftrace", program: "/bin/app", process: 4711,
      images: [.init(path: "/bin/app"), .init(path: "/lib/lib;a b.so")],
      hits: names.enumerated().map { index, name in
        ExportedLaunch.Hit(
          step: index * 2, thread: 1 + index % 2, nanoseconds: UInt64(1_000_000 + index * 1000),
          image: index / 3, address: address(0x1000 + UInt64(index) * 0x800),
          sizeBytes: index == 4 ? nil : UInt64(index + 1) * 10, names: [name],
          owner: index == 0 ? "main.o" : nil)
      },
      marks: [
        Mark(name: "first\nscreen", step: 5, nanoseconds: 1_002_500),
        Mark(name: "end", step: 20, nanoseconds: nil),
      ])
    launch.hits[3].names.append("merged")
    launch.hits.append(
      ExportedLaunch.Hit(
        step: 12, thread: nil, nanoseconds: nil, image: 0, address: nil, sizeBytes: nil, names: []))
    launch.stages = [
      LaunchStage("first recorded function", .event, nanoseconds: 1_000_000, thread: 1),
      LaunchStage("first\nscreen", .event, nanoseconds: 2500, thread: 1),
    ]
    launch.prediction = ExportedLaunch.Prediction(
      of: "build/app", pageSize: .fourKibibytes, pages: [2, 2, 3, 3, 4, 4, 4])
    launch.touches = [
      ExportedLaunch.Touch(
        image: 0,
        page: PagesDocument.Page(
          access: .execute, address: address(0x1000), segment: .text, function: "main",
          instruction: nil, instructionImage: nil, step: 0), hit: 0)
    ]
    return launch
  }

  private static func table(_ launches: [ExportedLaunch]) -> String {
    var bytes: [UInt8] = []
    FirstHitTable(launches, pageSize: .fourKibibytes, wording: upperCase).write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func theTableIsAsRecorded() throws {
    try expectGolden(Self.table([Self.launch]), "reporting/export/expected.csv")
  }

  @Test func stacksAreAsRecorded() throws {
    let stacks = FoldedStacks([Self.launch, Self.launch], wording: upperCase)
    try expectGolden(stacks.text, "reporting/export/expected.folded")
    // One hit has no size, and one has no address.
    #expect(stacks.unknownSizes == 2)
  }

  @Test func functionsOfOneNameAreAddedUpWithoutOverflow() {
    var launch = Self.launch
    launch.images = [.init(path: "/bin/app"), .init(path: "/opt/app")]
    for index in launch.hits.indices {
      launch.hits[index].names = ["same"]
      launch.hits[index].sizeBytes = .max
      launch.hits[index].owner = nil
    }
    let stacks = FoldedStacks([launch], wording: mangled)
    #expect(stacks.text == "bin/app;same \(UInt64.max)\nopt/app;same \(UInt64.max)\n")
  }

  /// Returns a launch of a build of `path`, with functions of these names, addresses and sizes.
  private static func use(
    _ path: String, id: UInt8?, _ functions: [(name: SymbolName, address: UInt64, size: UInt64)]
  ) -> ExportedLaunch {
    ExportedLaunch(
      path: "t", program: path, process: 1,
      images: [.init(path: path, id: id.map { ImageID(kind: .buildID, bytes: [$0]) })],
      hits: functions.enumerated().map { step, function in
        ExportedLaunch.Hit(
          step: step, thread: 1, nanoseconds: nil, image: 0, address: address(function.address),
          sizeBytes: function.size, names: [function.name])
      }, marks: [])
  }

  @Test(arguments: [1, nil] as [UInt8?])
  func functionsOfSeveralBuildsCountOnceInAnyOrder(_ id: UInt8?) {
    let old = Self.use("/b/app", id: id, [("main", 0x10, 18), ("alpha", 0x40, 12)])
    let new = Self.use(
      "/b/app", id: id.map { $0 + 1 }, [("main", 0x10, id == nil ? 18 : 20), ("omega", 0x40, 50)])
    let expected = "app;alpha 12\napp;main \(id == nil ? 18 : 20)\napp;omega 50\n"
    #expect(FoldedStacks([old, new], wording: mangled).text == expected)
    #expect(FoldedStacks([new, old, new], wording: mangled).text == expected)
  }

  @Test func imagesOfOneFileNameAreToldApart() {
    let launches = ["/d1/app", "/d2/app", "app", "/x/lib"].enumerated().map { index, path in
      Self.use(path, id: UInt8(index), [("main", 0x10, 10), ("main", 0x50, 1)])
    }
    #expect(
      FoldedStacks(launches, wording: mangled).text
        == "app;main 11\nd1/app;main 11\nd2/app;main 11\nlib;main 11\n")
  }

  /// A delimiter before a combining mark is another `Character`, but the same byte.
  @Test func delimitersBeforeCombiningMarksAreDelimiters() {
    let name: SymbolName = "a;\u{301}b\"\u{301}c"
    let launch = Self.use("/app", id: nil, [(name, 0x10, 5)])
    #expect(Self.table([launch]).utf8.count { $0 == UInt8(ascii: "\"") } == 2 * (2 + 2))
    #expect(FoldedStacks([launch], wording: mangled).text.utf8.count { $0 == 0x3b } == 1)
  }

  // MARK: Perfetto

  private static func perfetto(
    _ launches: [ExportedLaunch], faults: [ExportedFaults] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    PerfettoTrace(launches, faults: faults, wording: mangled).write { bytes += $0 }
    return bytes
  }

  /// The value of a field of a message: a number, or the bytes of a nested message.
  private enum Value {
    case number(UInt64)
    case bytes([UInt8])
    var number: UInt64? { if case .number(let number) = self { number } else { nil } }
    var nested: [(field: Int, value: Value)] {
      if case .bytes(let bytes) = self { fields(bytes) } else { [] }
    }
  }

  private static func fields(_ bytes: [UInt8]) -> [(field: Int, value: Value)] {
    var rest = bytes[...]
    func varint() -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while let byte = rest.popFirst() {
        value |= UInt64(byte & 0x7f) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      return value
    }
    var found: [(field: Int, value: Value)] = []
    while !rest.isEmpty {
      let tag = varint()
      if tag & 7 == 0 {
        found.append((Int(tag >> 3), .number(varint())))
      } else if tag & 7 == 1 {
        let number = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        found.append((Int(tag >> 3), .number(number)))
        rest = rest.dropFirst(8)
      } else {
        let count = Int(varint())
        found.append((Int(tag >> 3), .bytes(Array(rest.prefix(count)))))
        rest = rest.dropFirst(count)
      }
    }
    return found
  }

  /// The integrations read the trace with Perfetto's own classes. This test checks its shape.
  @Test func aTraceHasTracksAndEventsInPackets() throws {
    let packets = Self.fields(Self.perfetto([Self.launch, Self.launch])).map(\.value.nested)
    func count(_ field: Int) -> Int { packets.count { $0.contains { $0.field == field } } }
    // Each launch has tracks for the process, the stages, the marks, the pages, the touches and two threads.
    #expect(count(60) == 2 * 7)
    let events = packets.compactMap { $0.first { $0.field == 11 }?.value.nested }
    let types = events.compactMap { $0.first { $0.field == 9 }?.value.number }
    #expect(types.count { $0 == 1 } == 4 && types.count { $0 == 2 } == 4)
    // Instants: the hits with a time, the mark with a time, and the touch. Counters: the pages where their number
    // rises.
    #expect(types.count { $0 == 3 } == 2 * (6 + 1 + 1) && types.count { $0 == 4 } == 2 * 3)
    let processes = packets.compactMap { packet in
      packet.first { $0.field == 60 }?.value.nested.first { $0.field == 3 }?.value.nested.first?
        .value.number
    }
    #expect(processes == [4711, 4712])
    let times = packets.compactMap { $0.first { $0.field == 8 }?.value.number }
    var later = Self.launch
    later.startNanoseconds = 500
    let shifted = Self.fields(Self.perfetto([later, Self.launch])).map(\.value.nested)
      .compactMap { $0.first { $0.field == 8 }?.value.number }
    let half = times.count / 2
    #expect(shifted == times[..<half].map { $0 + 500 } + times[half...])
    #expect(Self.perfetto([Self.launch]) == Self.perfetto([Self.launch]))
  }

  @Test func faultsAreAProcessOfTheirOwnWithArrowsToFirstHits() {
    let document = FaultsDocumentTests.document
    let faults = ExportedFaults(
      path: "faults.json", document,
      firstHitOfFault: [
        0: .init(launch: 0, hit: 2), 3: .init(launch: 0, hit: 2), 6: .init(launch: 0, hit: 4),
      ])
    let packets = Self.fields(Self.perfetto([Self.launch], faults: [faults])).map(\.value.nested)
    let processes = packets.compactMap { packet in
      packet.first { $0.field == 60 }?.value.nested.first { $0.field == 3 }?.value.nested.first?
        .value.number
    }
    #expect(processes == [4711, 1])
    let events = packets.filter { packet in
      packet.contains { $0.field == 10 && $0.value.number == 2 }
    }
    .compactMap { packet -> (type: UInt64?, time: UInt64?, flows: [UInt64], count: UInt64?)? in
      guard let event = packet.first(where: { $0.field == 11 })?.value.nested else { return nil }
      return (
        event.first { $0.field == 9 }?.value.number,
        packet.first { $0.field == 8 }?.value.number,
        event.filter { $0.field == 47 }.compactMap(\.value.number),
        event.first { $0.field == 30 }?.value.number
      )
    }
    let begins = events.filter { $0.type == 1 }
    #expect(begins.map(\.time) == document.faults.map(\.nanoseconds))
    #expect(begins.map(\.flows) == [[1], [], [], [2], [], [], [3]])
    #expect(
      events.filter { $0.type == 2 }.map(\.time)
        == document.faults.map { $0.nanoseconds + $0.handlingNanoseconds })
    #expect(events.compactMap(\.count) == [1, 1, 2, 2, 3, 4, 5])
    let flowsOfHits = packets.filter { packet in
      packet.contains { $0.field == 10 && $0.value.number == 1 }
    }.compactMap { $0.first { $0.field == 11 }?.value.nested }
      .map { event in event.filter { $0.field == 47 }.compactMap(\.value.number) }
      .filter { !$0.isEmpty }
    #expect(flowsOfHits.sorted { $0[0] < $1[0] } == [[1, 2], [3]])
  }

  @Test func numbersOfProcessesAreKept() {
    let launches = [7, 7, 8, nil].map { number in
      var launch = Self.launch
      launch.process = number
      return launch
    }
    let processes = Self.fields(Self.perfetto(launches)).map(\.value.nested).compactMap {
      $0.first { $0.field == 60 }?.value.nested.first { $0.field == 3 }?.value.nested.first?.value
        .number
    }
    #expect(processes == [7, 9, 8, 1])
  }

  @Test func aLargeTraceIsSentInPieces() {
    let launch = Self.use(
      "/app", id: nil, (0..<20_000).map { (SymbolName("function\($0)"), UInt64($0) * 16, 16) })
    var timed = launch
    for index in timed.hits.indices { timed.hits[index].nanoseconds = UInt64(index) }
    var pieces: [Int] = []
    PerfettoTrace([timed], wording: mangled).write { pieces.append($0.count) }
    #expect(pieces.count > 1 && pieces.allSatisfy { $0 < 2 << 20 })
  }
}
