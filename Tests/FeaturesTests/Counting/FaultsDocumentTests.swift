import Addresses
import ByteReading
import Counting
import Exports
import ImageModel
import LaunchMeasurement
import Rendering
import Reports
import TestSupport
import Testing

@Suite struct FaultsDocumentTests {
  private static func address(_ value: UInt64) -> StatedAddress { StatedAddress(rawValue: value) }

  /// A cold launch with each kind of place, a second thread, an image without a name, and several faults in one
  /// nanosecond.
  static var document: FaultsDocument {
    var document = FaultsDocument(
      command: ["./app", "--name", "a b"], end: .exited(0), cache: .cold,
      wallNanoseconds: 5_500_000,
      minorFaults: 9, majorFaults: 3,
      files: [
        ImageReference(path: "/build/app", architecture: .x8664, id: "ab"),
        ImageReference(path: "/lib/libc.so.6", architecture: .x8664, id: "9f3a"),
        ImageReference(path: "/usr/lib/locale/locale-archive"),
      ],
      machine: MeasuringMachine(
        kernel: "Linux 6.1", processor: "A processor", processors: 2, governor: nil,
        pageBytes: 4096, faultAroundBytes: 65536, load: 0.5))
    document.device = DeviceSettings("slow=16KiB,0.5ms")
    document.requests = 5
    document.readBytes = 81920
    document.limits = [
      "cold: /build/app: this disk reads 8.0Mi ahead: a cold launch can't show page order"
    ]
    func add(
      _ nanoseconds: UInt64, _ took: UInt64, _ kind: FaultsDocument.Kind, thread: Int = 1,
      _ place: FaultsDocument.Place, by instruction: FaultsDocument.Instruction? = nil
    ) {
      document.faults.append(
        FaultsDocument.Fault(
          nanoseconds: nanoseconds, handlingNanoseconds: took, kind: kind, process: thread,
          thread: thread, place: place, instruction: instruction))
    }
    let main = FaultsDocument.Instruction(file: 0, address: address(0x2004), function: "main")
    add(
      300_000, 140_000, .major,
      .image(
        file: 0,
        .init(address: address(0x2004), segment: .text, section: ".text", symbol: "main")),
      by: main)
    add(
      450_000, 900, .minor,
      .image(file: 1, .init(address: address(0x1d_0010), segment: .data, section: ".data")),
      by: main)
    add(450_000, 1_500, .minor, .file(2, FileOffset(rawValue: 0x40_0000)), by: main)
    add(
      2_000_000, 90_000, .major,
      .image(
        file: 0,
        .init(
          address: address(0x3010), segment: .text, section: ".text",
          symbol: SymbolName("line\u{1b}[1m"))), by: main)
    add(
      2_500_000, 700, .minor, thread: 2, .memory("heap"),
      by: FaultsDocument.Instruction(file: 1, address: address(0x2_1234)))
    add(5_499_999, 600, .minor, .memory("stack"))
    add(
      5_499_999, 800, .minor, .image(file: 0, .init(address: address(0x4000), segment: .data)),
      by: main)
    return document
  }

  static var refused: FaultsDocument {
    var document = document
    document.faults = []
    document.files = [document.files[0]]
    document.end = .killed(signal: 15)
    document.cache = .warm
    (document.device, document.requests, document.readBytes) = (nil, nil, nil)
    document.limits = []
    document.refusal = "perf_event_open: Operation not permitted"
    return document
  }

  @Test func textAndJSONAreAsRecorded() throws {
    let text = FaultsText(Self.document, names: upperCase, listsFaults: true).text
    try expectGolden(
      text + "\n" + FaultsText(Self.refused).text, "reporting/faults/expected.txt")
    try expectGolden(
      String(decoding: Self.document.json(), as: UTF8.self), "reporting/faults/expected.json")
  }

  @Test func rowsOfEachTableAddUp() {
    let lines = FaultsText(Self.document).text.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    // First the table of places, which ends with the total, then the table of times, whose first cell is the end of a
    // span.
    let total = lines.firstIndex { $0.last == "TOTAL" } ?? 0
    let places = lines[..<total].compactMap { $0.count > 4 ? Int($0[0]) : nil }
    #expect(places.reduce(0, +) == 2 && lines[total][0] == "2" && lines[total][1] == "5")
    let spans = lines[(total + 1)...].filter { Double($0[0]) != nil }
    #expect(spans.count == 10)
    #expect(spans.compactMap { Int($0[1]) }.reduce(0, +) == 2)
    #expect(spans.compactMap { Int($0[2]) }.reduce(0, +) == 5)
  }

  @Test func aLaunchWithoutFaultsHasNoTables() {
    var document = Self.document
    document.faults = []
    let text = FaultsText(document, listsFaults: true).text
    #expect(text.contains("measured: 0 major, 0 minor") && !text.contains("TOTAL"))
  }

  @Test func whatTheKernelCountsBeyondTheListIsItsOwn() {
    #expect(Self.document.unlisted(.major) == 1 && Self.document.unlisted(.minor) == 4)
    var document = Self.document
    document.minorFaults = 2  // No process waited for a child, so nothing is known about children.
    #expect(document.unlisted(.minor) == nil)
    document.minorFaults = 9
    document.leftOut = 1
    #expect(document.unlisted(.minor) == nil)
  }

  @Test(arguments: [document, refused]) func whatIsWrittenReadsBackEqual(
    _ document: FaultsDocument
  ) throws {
    #expect(try FaultsDocument(parsing: FileBytes(document.json())) == document)
  }

  @Test(arguments: [
    ("\"file\": 2", "\"file\": 3", "invalid faults: expected one of 3 files, found file 3"),
    ("\"pcFile\": 1", "\"pcFile\": 7", "invalid faults: expected one of 3 files, found file 7"),
    ("\"file\": 2", "\"file\": -1", "invalid file: "),
    ("\"kind\": \"major\"", "\"kind\": \"small\"", "invalid kind: expected one of major, minor"),
    ("\"cache\": \"cold\"", "\"cache\": \"tepid\"", "invalid cache: expected one of cold, warm"),
    ("\"nanoseconds\": 2000000", "\"nanoseconds\": 2", "invalid faults: expected faults by time"),
    (
      "/lib/libc.so.6", String(repeating: "/x", count: 2100),
      "invalid files: expected paths of at most 4096 bytes, found 4200"
    ),
    ("\"memory\": \"stack\"", "\"memorial\": \"stack\"", "missing file"),
    ("\"pcFile\": 1, ", "", "invalid pc: expected with the file of the instruction"),
    ("orderfile.faults/1", "orderfile.faults/2", "invalid schema: expected orderfile.faults/1"),
  ])
  func saysWhatIsWrong(text: String, other: String, message: String) {
    let json = String(decoding: Self.document.json(), as: UTF8.self)
    #expect(json.contains(text))
    let error = #expect(throws: ParseError.self) {
      try FaultsDocument(parsing: FileBytes(Array(json.replacing(text, with: other).utf8)))
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(.needs(.time)) func damagedDocumentsNeverTrapHostile() throws {
    let bytes = withoutIndentation(Self.document.json())
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 1 {
      #expect(throws: ParseError.self, "\(length)") {
        try FaultsDocument(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
    for copy in byteFlips(of: bytes) {
      guard let document = try? FaultsDocument(parsing: FileBytes(copy)) else { continue }
      _ = FaultsText(document, listsFaults: true).text
      var report = ReportDocument(title: "app", pageSize: .fourKibibytes)
      report.faults = [ReportFaults(path: "f", document, side: nil)]
      _ = report.json()
      PerfettoTrace(
        [], faults: [ExportedFaults(path: "f", document, firstHitOfFault: [:])], wording: mangled
      ).write { _ in }
    }
  }
}
