import Addresses
import Counting
import ImageModel
import TestSupport
import Testing

@Suite struct RefineDocumentTests {
  static let fixed = [
    RefineDocument.FixedPage(
      address: StatedAddress(rawValue: 0x1000), function: "_start", section: ".text"),
    RefineDocument.FixedPage(
      address: StatedAddress(rawValue: 0x2000), function: nil, section: nil),
  ]

  static func floor(
    _ startupBytes: UInt64, fixed: [RefineDocument.FixedPage] = []
  ) -> RefineDocument.Floor {
    RefineDocument.Floor(
      startupBytes: startupBytes, pageSize: .fourKibibytes, fixed: fixed)
  }

  static let document = RefineDocument(
    outputPath: "app.order", imagePath: "build/a\u{1b}pp", pageSize: .fourKibibytes,
    steps: [
      RefineDocument.Step(
        move: "as given", entries: 12, pages: .init(text: [9, 4, 2], data: [8, 3, 1]),
        isKept: true),
      RefineDocument.Step(
        move: "add 3 missing functions", entries: 15,
        pages: .init(text: [7, 3, 1], data: [8, 3, 1]), isKept: true),
      RefineDocument.Step(
        move: "unused functions last", entries: 15,
        pages: .init(text: [8, 3, 1], data: [6, 2, 1]), isKept: false),
    ], floor: floor(9000, fixed: fixed), data: data, droppedEntries: 2)

  static let data = {
    var data = RefineDocument.DataPages()
    data.loader = 4
    data.unnamed = 3
    data.other = 1
    return data
  }()

  @Test func bothFormsAreAsRecorded() throws {
    try expectGolden(
      RefineText(Self.document, names: upperCase).text, "reporting/refine/expected.txt")
    try expectGolden(
      String(decoding: Self.document.json(), as: UTF8.self), "reporting/refine/expected.json")
  }

  static let ofLaunches: RefineDocument = {
    var document = RefineDocumentTests.document
    document.launches = [
      .init(
        name: "help", before: .init(text: [4, 2, 1], data: [3, 1, 1]),
        after: .init(text: [3, 1, 1], data: [3, 1, 1]), floorPages: 2),
      .init(
        name: "list", before: .init(text: [5, 2, 1], data: [5, 2, 1]),
        after: .init(text: [4, 2, 1], data: [5, 2, 1]), floorPages: 3),
    ]
    document.floor = floor(5000, fixed: fixed) + floor(4000, fixed: Array(fixed.prefix(1)))
    return document
  }()

  @Test func bothFormsOfSeveralLaunchesAreAsRecorded() throws {
    try expectGolden(
      RefineText(Self.ofLaunches, names: upperCase).text, "reporting/refine/launches.txt")
    try expectGolden(
      String(decoding: Self.ofLaunches.json(), as: UTF8.self), "reporting/refine/launches.json")
  }

  @Test func theFloorOfLaunchesIsTheSumOfTheirFloors() {
    let sum = Self.ofLaunches.floor
    #expect(sum.startupBytes == 9000)
    #expect(sum.startupPages == 3)
    #expect(sum.fixed.map(\.launches) == [2, 1])
    #expect(sum.pages == 6)
  }

  @Test(arguments: [(0, 0), (1, 1), (4096, 1), (4097, 2), (9000, 3)] as [(UInt64, Int)])
  func theFloorIsOfWholePages(bytes: UInt64, pages: Int) {
    #expect(Self.floor(bytes).pages == pages)
    #expect(Self.floor(bytes, fixed: Self.fixed).pages == pages + 2)
  }
}
