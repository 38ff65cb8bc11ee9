import ByteReading
import Foundation
import ImageModel
import LaunchMeasurement
import Measuring
import PagesFormat
import TestSupport
import Testing

@Suite struct MeasureDocumentTests {
  static let names = ["cold-and-warm", "memory", "unsteady"]

  static func launch(_ milliseconds: Double, cold: Bool) -> MeasuredLaunch {
    MeasuredLaunch(
      wallNanoseconds: UInt64(milliseconds * 1e6),
      userMicroseconds: UInt64(milliseconds * 600), systemMicroseconds: UInt64(milliseconds * 300),
      instructions: cold ? nil : UInt64(milliseconds * 2e6), minorFaults: 137,
      majorFaults: cold ? 20 : 0, peakBytes: 3_694_592,
      readBytes: cold ? 1_310_720 : 0, residentPages: cold ? 320 : nil)
  }

  static func side(_ name: String, _ image: String) -> MeasuredSide {
    MeasuredSide(
      name: name,
      program: MeasuredProgram(path: "build/\(image)", arguments: ["build/\(image)", "-x", "a b"]),
      images: ["/build/\(image)"])
  }

  /// Returns launches of each side, in rounds. The numbers are the milliseconds of each launch.
  static func state(
    _ state: CacheState, _ sides: [(MeasuredSide, [Double])], textFaults: [Int] = [18, 17, 18]
  ) -> MeasuredState {
    var result = MeasuredState(state, sides.map(\.0))
    for number in sides.indices {
      result.sides[number].launches = sides[number].1.map { launch($0, cold: state == .cold) }
      result.sides[number].textFaults = textFaults.map { $0 + number }
    }
    result.rounds = sides[0].1.indices.map { round in
      let numbers = Array(sides.indices)
      return round % 2 == 0 ? numbers : numbers.reversed()
    }
    return result
  }

  static func storage(_ image: String, ahead: UInt64?) -> ImageStorage {
    ImageStorage(
      path: "/build/\(image)", bytes: 1_400_000, fileSystem: "ext4", device: "8:1",
      readAheadBytes: ahead, readAheadSetting: "/sys/dev/block/8:1/../queue/read_ahead_kb")
  }

  /// Returns the memory of launches. `code` has the KiB of resident code of each launch.
  static func memory(
    _ name: String, _ image: String, _ code: [UInt64], on fileSystem: String
  ) -> MeasuredMemory.Side {
    MeasuredMemory.Side(
      name: name, program: ImageReference(path: "build/\(image)"),
      figures: MemoryFigures(
        moment: .end, fileSystem: fileSystem,
        launches: code.map { code in
          MemoryFigures.Launch(
            rss: (3400 + code) << 10, pss: (900 + code) << 10, peak: (3500 + code) << 10,
            imageRSS: (96 + code) << 10, imagePSS: (96 + code) << 10,
            mappings: [
              .init(kind: .code, rss: code << 10, pss: code << 10),
              .init(kind: .readOnly, rss: 64 << 10, pss: 64 << 10),
              .init(kind: .relocated, rss: 20 << 10, pss: 20 << 10),
              .init(kind: .data, rss: 12 << 10, pss: 12 << 10),
            ])
        }))
  }

  static func document(_ name: String) -> MeasureDocument {
    let (before, after) = (side("before", "app-before"), side("after", "app"))
    if name == "memory" {
      let code = (0..<20).map { UInt64(600 + $0 * 7 % 5 * 4) }
      return MeasureDocument(
        [],
        machine: MeasuringMachine(
          kernel: "Linux 6.18.0 x86_64", processor: "A Processor", processors: 8, governor: nil,
          pageBytes: 4096, faultAroundBytes: 65536),
        storage: [storage("app-before", ahead: 131_072), storage("app", ahead: 131_072)],
        precision: nil, seed: 1, dropsCaches: false,
        memory: MeasuredMemory([
          memory("before", "app-before", code, on: "ext4"),
          memory("after", "app", code.map { $0 - 360 }, on: "ext4"),
          memory("control", "app-before", code.reversed(), on: "tmpfs"),
        ]))
    }
    if name == "unsteady" {
      // This launch was killed once, its times drift, one time is far off, its faults could not be counted, and its
      // read-ahead hides everything.
      var times = (0..<20).map { 900 + 4 * Double($0) }
      times[7] = 2500
      var slow = state(
        .cold, [(before, times), (after, times.map { $0 + ($0 > 940 ? -3 : 4) })], textFaults: [])
      slow.sides[1].launches[3].end = .killed(signal: 11)
      slow.sides[0].launches[2].readBytes = nil
      slow.sides[0].launches[2].peakBytes = nil
      slow.textFaultsRefusal = "perf_event_open: Permission denied"
      for side in slow.sides.indices {
        for launch in slow.sides[side].launches.indices {
          slow.sides[side].launches[launch].requests = UInt64(12 - side)
        }
      }
      return MeasureDocument(
        [slow],
        machine: MeasuringMachine(
          kernel: "Linux 6.1.0 aarch64", processor: nil, processors: 1, governor: "powersave",
          pageBytes: 16384, faultAroundBytes: 32768, load: 1.52),
        storage: [storage("app-before", ahead: 8 << 20), storage("app", ahead: nil)],
        precision: 0.03, seed: 9, dropsCaches: true, device: DeviceSettings("sd=16KiB"))
    }
    let times = (0..<13).map { 12 + Double($0 * 7 % 5) / 10 }
    let control = side("control", "app-before")
    return MeasureDocument(
      [
        state(
          .cold,
          [
            (before, times), (after, times.map { $0 * 0.73 }),
            (control, times.map { $0 + ($0 > 12.15 ? -0.01 : 0.012) }),
          ]),
        state(
          .warm, [(before, times), (after, times.map { $0 + 3 }), (control, times.map { $0 + 1 })]),
      ],
      machine: MeasuringMachine(
        kernel: "Linux 6.12.1 x86_64", processor: "A Processor", processors: 8, governor: nil,
        pageBytes: 4096, faultAroundBytes: nil),
      storage: [storage("app-before", ahead: 131_072), storage("app", ahead: 131_072)],
      precision: nil, seed: 1, dropsCaches: false)
  }

  @Test(arguments: names) func textIsAsRecorded(_ name: String) throws {
    try expectGolden(
      MeasureText(Self.document(name)).text, "reporting/measure/\(name)/expected.txt")
  }

  @Test(arguments: names) func jsonIsAsRecorded(_ name: String) throws {
    let json = String(decoding: Self.document(name).json(), as: UTF8.self)
    try expectGolden(json, "reporting/measure/\(name)/expected.json")
    #expect(
      try parsedJSON(Array(json.utf8))["schema"] as? String == MeasureDocument.schema)
  }

  @Test(arguments: names) func hyperfinesKeysAreAsRecorded(_ name: String) throws {
    let json = Self.document(name).hyperfineJSON()
    try expectGolden(
      String(decoding: json, as: UTF8.self), "reporting/measure/\(name)/hyperfine.json")
    let results = try #require(
      try parsedJSON(json)["results"] as? [[String: Any]])
    for result in results {
      // hyperfine's own scripts read these keys. The memory is optional.
      for key in ["mean", "stddev", "median", "user", "system", "min", "max"] {
        #expect(result[key] is Double, "\(key)")
      }
      let times = try #require(result["times"] as? [Double])
      #expect((result["exit_codes"] as? [Int])?.count == times.count)
      let mean = try #require(result["mean"] as? Double)
      #expect(abs(times.reduce(0, +) / Double(times.count) - mean) < 1e-12)
    }
    #expect(Set(results.compactMap { $0["command"] as? String }).count == results.count)
  }

  @Test func jsonHasEachLaunchAndItsSummary() throws {
    let value = try parsedJSON(Self.document("cold-and-warm").json())
    #expect(value["provenance"] as? String == "measured")
    for state in try #require(value["states"] as? [[String: Any]]) {
      for side in try #require(state["sides"] as? [[String: Any]]) {
        let launches = try #require(side["launches"] as? [[String: Any]])
        let times = launches.compactMap { $0["wallNanoseconds"] as? Double }
        let wall = try #require(side["wallNanoseconds"] as? [String: Any])
        #expect(times.count == 13 && wall["minimum"] as? Double == times.min())
        #expect(times.sorted()[6] == wall["median"] as? Double)
      }
    }
  }

  @Test(arguments: names) func whatIsWrittenReadsBackEqual(_ name: String) throws {
    let document = Self.document(name)
    let read = try MeasureDocument(parsing: FileBytes(document.json()))
    #expect(read == document)
    #expect(MeasureText(read).text == MeasureText(document).text)
    #expect(read.hyperfineJSON() == document.hyperfineJSON())
  }

  @Test(arguments: [
    (
      "\"launches\": [", "\"launches\": [], \"others\": [",
      "invalid launches: expected at least one"
    ),
    ("\"verdict\": \"not shown\"", "\"verdict\": \"won\"", "invalid verdict: expected one of "),
    ("\"verdict\": \"not shown\"", "\"verdict\": \"less\"", "invalid verdict: expected not shown"),
    ("\"low\": ", "\"low\": 99, \"lower\": ", "invalid high: expected at least 'low', 99"),
    ("\"state\": \"cold\"", "\"state\": \"tepid\"", "invalid state: expected one of cold, warm"),
    (
      "\"precisionAsked\": 0.03", "\"precisionAsked\": 0",
      "invalid precisionAsked: expected a share"
    ),
    ("\"signal\": 11", "\"signal\": 2147483647", "invalid signal: expected a whole number"),
    ("\"sides\": [", "\"sides\": [], \"others\": [", "invalid sides: expected one, and another"),
  ])
  func saysWhatIsWrong(text: String, other: String, message: String) {
    let json = String(decoding: Self.document("unsteady").json(), as: UTF8.self)
    let error = #expect(throws: ParseError.self) {
      try MeasureDocument(parsing: FileBytes(Array(json.replacing(text, with: other).utf8)))
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (
      "\"moment\": \"end\"", "\"moment\": \"middle\"",
      "invalid moment: expected one of end, ready"
    ),
    ("\"launches\": [", "\"launches\": [], \"o\": [", "invalid launches: expected at least one"),
    ("\"kind\": \"code\"", "\"kind\": \"cod\"", "invalid kind: expected one of code, readOnly"),
    (
      "\"comparisons\": [", "\"comparisons\": [], \"others\": [",
      "invalid sides: expected one, and another"
    ),
  ])
  func saysWhatIsWrongWithTheMemory(text: String, other: String, message: String) {
    let json = String(decoding: Self.document("memory").json(), as: UTF8.self)
    let error = #expect(throws: ParseError.self) {
      try MeasureDocument(parsing: FileBytes(Array(json.replacing(text, with: other).utf8)))
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  /// The image has 360 KiB less in each launch, and the control differs only in the order of its launches.
  @Test func lessMemoryIsAFindingAndANewSequenceIsNone() throws {
    let memory = try #require(Self.document("memory").memory)
    let verdicts = memory.comparisons.map { $0.metrics.map(\.verdict) }
    #expect(verdicts.map { Set($0) } == [[.less], [.notShown]])
    #expect(verdicts.map(\.count) == [4, 4])
    #expect(memory.after.figures.median(\.imageRSS) == (96 + 248) << 10)
  }

  @Test(.needs(.time), arguments: ["memory", "unsteady"])
  func damagedDocumentsNeverTrapHostile(name: String) throws {
    var whole = Self.document(name)
    if var memory = whole.memory {
      for side in memory.sides.indices { memory.sides[side].figures.launches.removeLast(19) }
      whole.memory = memory
    }
    for index in whole.states.first?.sides.indices ?? 0..<0 {
      let launches = whole.states[0].sides[index].launches
      // One launch of the second side was killed.
      whole.states[0].sides[index].launches = Array(launches[2 + index..<3 + index])
    }
    if !whole.states.isEmpty { whole.states[0].rounds = ["before after"] }
    let bytes = withoutIndentation(whole.json())
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 1 {
      #expect(throws: ParseError.self, "\(length)") {
        try MeasureDocument(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
    for copy in byteFlips(of: bytes) {
      guard let document = try? MeasureDocument(parsing: FileBytes(copy)) else { continue }
      _ = MeasureText(document).text
      _ = document.hyperfineJSON()
    }
  }

  @Test func everyFigureSaysThatItWasMeasured() {
    for name in Self.names {
      let titles = MeasureText(Self.document(name)).text.split(separator: "\n").filter {
        $0.contains("BEFORE")
      }
      #expect(!titles.isEmpty && titles.allSatisfy { $0.contains("MEASURED") })
      #expect(!MeasureText(Self.document(name)).text.contains("predicted"))
    }
  }
}
