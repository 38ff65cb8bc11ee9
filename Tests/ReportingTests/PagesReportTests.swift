import Addresses
import ImageModel
import Reporting
import TestSupport
import Testing

@Suite struct PagesReportTests {
  private static func page(
    _ step: Int, _ access: Access, _ segment: Segment, _ address: UInt64,
    by function: SymbolName?, at instruction: UInt64?, in image: String? = nil
  ) -> PagesReport.Page {
    PagesReport.Page(
      access: access, address: StatedAddress(rawValue: address), segment: segment,
      function: function, instruction: instruction.map { StatedAddress(rawValue: $0) },
      instructionImage: image, step: step)
  }

  private static let sizes: [PageSize] = [
    .fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes,
  ]
  private static func filled(_ counts: [Int]) -> [PageSize: Int] {
    Dictionary(uniqueKeysWithValues: zip(sizes, counts))
  }

  static let report = PagesReport(
    command: ["./app", "a b"], end: .exited(0), method: "preload",
    images: [
      PagesReport.Image(
        path: "/opt/app", id: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]),
        pages: [
          page(0, .execute, .text, 0x2000, by: "_start", at: 0x2040),
          page(1, .read, .data, 0x15000, by: "start", at: nil, in: "/lib/libc.so.6"),
          page(2, .execute, .text, 0x3000, by: "_ZN3app4mainEv", at: 0x2ffe),
          page(3, .read, .text, 0x3000, by: nil, at: 0x3010),
          page(4, .read, .text, 0x9000, by: nil, at: 0x3014),
          page(6, .kernel, .readOnly, 0x1000, by: "write", at: nil, in: "/lib/libc.so.6"),
          page(7, .write, .data, 0x15000, by: "s\u{1b}t", at: 0x3020),
          page(8, .read, .data, 0x16000, by: nil, at: nil),
        ],
        filled: [
          .text: filled([8, 3, 1]), .readOnly: filled([2, 1, 1]), .data: filled([3, 2, 1]),
        ]),
      PagesReport.Image(path: "/opt/gone.so", id: nil, pages: [], filled: [:]),
    ])

  @Test func bothFormsAreAsRecorded() throws {
    let text = Self.report.text(width: 100, names: { "\($0)" }, listsPages: true)
    try expectGolden(text, "reporting/pages/expected.txt")
    var json: [UInt8] = []
    Self.report.json { json += $0 }
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/pages/expected.json")
    let value = try parsedJSON(json)
    #expect(value["schema"] as? String == "orderfile.pages/1")
    #expect(value["exitStatus"] as? Int == 0 && value["signal"] == nil)
  }

  @Test func aSignalTakesThePlaceOfTheStatus() throws {
    var json: [UInt8] = []
    PagesReport(command: ["app"], end: .killed(signal: 11), method: "ptrace", images: [])
      .json { json += $0 }
    let value = try parsedJSON(json)
    #expect(value["signal"] as? Int == 11 && value["exitStatus"] == nil)
  }
}
