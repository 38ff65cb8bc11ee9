import Addresses
import ByteReading
import ImageModel
import PagesFormat
import TestSupport
import Testing

@Suite struct DataPagesTests {
  private static func touch(
    _ access: Access, _ address: UInt64, _ section: String?, _ accessor: Accessor,
    _ segment: Segment = .data
  ) -> PagesDocument.Page {
    var page = PagesDocument.Page(
      access: access, address: StatedAddress(rawValue: address & ~4095), segment: segment,
      function: nil, instruction: nil, instructionImage: nil, step: 0
    )
    page.touched = StatedAddress(rawValue: address)
    page.section = section
    page.symbol = "name"
    page.accessor = accessor
    return page
  }

  static let image = PagesDocument.Image(
    ImageReference(path: "/app", id: "1a"),
    pages: [
      touch(.execute, 0x4000, ".text", .program, .text),
      touch(.read, 0x4010, ".dynsym", .program, .text),
      touch(.write, 0x10008, ".data", .program),
      touch(.read, 0x13000, ".bss", .program),
      touch(.kernel, 0x13008, ".bss", .kernel),
    ], filePages: [],
    loading: [
      touch(.kernel, 0x13fff, ".bss", .kernel),
      touch(.read, 0x1000, ".rela.dyn", .relocation, .readOnly),
      touch(.read, 0x1ff0, ".dynsym", .lookUp, .readOnly),
      touch(.write, 0x10000, ".got", .relocation),
      touch(.write, 0x11000, ".data", .relocation), touch(.read, 0x4020, nil, .loader, .text),
    ])

  private static func rows(_ data: DataPages) -> [String] {
    data.rows.map { "\($0.section ?? "-") \($0.accessor) \($0.pages)" }
  }

  @Test func eachPageBelongsToItsFirstTouchAndTheRowsAddUp() {
    let data = DataPages(of: Self.image)
    #expect(
      Self.rows(data) == [
        "- loader [1, 1, 0]", ".rela.dyn relocation [1, 1, 1]", ".got relocation [1, 0, 0]",
        ".data relocation [1, 0, 0]", ".bss kernel [1, 1, 1]",
      ])
    #expect(data.total == [5, 3, 2])
    for index in data.total.indices {
      #expect(data.rows.reduce(0) { $0 + $1.pages[index] } == data.total[index])
      #expect(data.shares.reduce(0) { $0 + $1.pages[index] } == data.total[index])
    }
  }

  @Test func onlyPagesThatNobodyElseTouchesGoWithAnAccessor() {
    let shares = DataPages(of: Self.image).shares
    #expect(shares.map(\.accessor) == [.relocation, .lookUp, .loader, .kernel, .program])
    #expect(shares.map { $0.touched[0] } == [3, 1, 1, 1, 3])
    #expect(shares.map { $0.alone[0] } == [1, 0, 0, 0, 0], ".data at 0x11000")
  }

  @Test func aDocumentReadsBackWithWhatWasTouchedAndByWhom() throws {
    let document = PagesDocument(
      command: ["app"], end: .exited(0), method: "ptrace", images: [Self.image])
    let read = try PagesDocument(parsing: FileBytes(document.json()))
    #expect(read == document)
    #expect(read.images[0].loading?.first?.section == ".bss")
  }

  @Test func olderDocumentsTellNothing() {
    let data = DataPages(of: PagesDocumentTests.written.images[0])
    #expect(data.rows.isEmpty && data.shares.isEmpty && data.total == [0, 0, 0])
  }

  @Test func countsOfSegmentsAreThoseWithoutLoading() {
    #expect(Self.image.count(of: .readOnly) == 0)
    #expect(Self.image.count(of: .data) == 2)
  }
}
