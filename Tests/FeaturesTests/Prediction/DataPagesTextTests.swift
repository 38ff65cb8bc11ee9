import Addresses
import Counting
import FaultEstimate
import ImageModel
import PagesFormat
import Prediction
import TestSupport
import Testing

@Suite struct DataPagesTextTests {
  private static func touch(
    _ access: Access, _ address: UInt64, _ section: String, _ symbol: SymbolName?,
    _ accessor: Accessor, _ segment: Segment = .data
  ) -> PagesDocument.Page {
    var page = PagesDocument.Page(
      access: access, address: StatedAddress(rawValue: address & ~4095), segment: segment,
      function: nil, instruction: nil, instructionImage: nil, step: 3
    )
    page.touched = StatedAddress(rawValue: address)
    page.section = section
    page.symbol = symbol
    page.accessor = accessor
    return page
  }

  static func image(tablePages: UInt64) -> PagesDocument.Image {
    PagesDocument.Image(
      ImageReference(path: "/opt/app", architecture: .x8664, id: "9f3a"),
      pages: [touch(.read, 0x9000, ".rodata", "_ZN3app4nameE", .program, .readOnly)],
      filePages: [],
      loading: (0..<tablePages).map { index in
        touch(.read, 0x1000 + index * 4096, ".rela.dyn", nil, .relocation, .readOnly)
      } + [touch(.write, 0x20000, ".data", "table", .relocation)])
  }

  @Test func pagesAreListedBySectionAndByWhoTouchedThem() throws {
    let document = PagesDocument(
      command: ["./app"], end: .exited(0), method: "ptrace", images: [Self.image(tablePages: 3)])
    let text = PagesText(document, listsPages: true).text
    try expectGolden(text, "reporting/pages/accessors.txt")
    try expectGolden(
      String(decoding: document.json(), as: UTF8.self), "reporting/pages/accessors.json")
  }

  @Test func launchesOfTwoLayoutsStandSideBySide() throws {
    func side(_ tablePages: UInt64) -> MeasuredPages.Side {
      let data = DataPages(of: Self.image(tablePages: tablePages)).rows
      return MeasuredPages.Side(
        MeasuredPages.Source(path: "p.json", method: "ptrace", command: ["./app"]),
        pageSize: .fourKibibytes, counts: [], differences: [],
        pagesRead: MeasuredPages.PagesRead(predicted: 0, measured: 0), data: data,
        countsLoading: true)
    }
    let pages = MeasuredPages(before: side(3), after: side(1))
    #expect(
      DataPagesChangeText(pages).text == """

        pages of 4 KiB that the launch read or wrote, measured; each page is counted at its first touch:
          BEFORE  AFTER  CHANGE  SECTION
          ------  -----  ------  ---------
               3      1      -2  .rela.dyn
               1      1       0  .rodata
               1      1       0  .data
               5      3      -2  TOTAL

          BEFORE  AFTER  CHANGE  TOUCHED BY
          ------  -----  ------  -----------------------------
               4      2      -2  relocation, by the loader
               1      1       0  the program and its libraries
               5      3      -2  TOTAL

        """)
    #expect(DataPagesChangeText(MeasuredPages(before: nil, after: nil)).text == "")
  }
}
