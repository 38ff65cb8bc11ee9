import Addresses
import ByteReading
import Counting
import ImageModel
import PagesFormat
import TestSupport
import Testing

@Suite struct PagesTextTests {
  private static func page(
    _ step: Int, _ access: Access, _ segment: Segment,
    _ address: UInt64,
    by function: SymbolName?, at instruction: UInt64?, in image: String? = nil
  ) -> PagesDocument.Page {
    PagesDocument.Page(
      access: access, address: StatedAddress(rawValue: address), segment: segment,
      function: function, instruction: instruction.map { StatedAddress(rawValue: $0) },
      instructionImage: image, step: step)
  }

  private static func filePages(
    _ text: [Int], _ readOnly: [Int], _ data: [Int]
  ) -> [PagesDocument.FilePages] {
    PagesDocument.pageSizes.enumerated().map { index, size in
      PagesDocument.FilePages(
        pageSize: size, text: text[index], readOnly: readOnly[index], data: data[index])
    }
  }

  static let document = PagesDocument(
    command: ["./app", "a b"], end: .exited(0), method: "preload",
    images: [
      PagesDocument.Image(
        ImageReference(path: "/opt/app", architecture: .x8664, id: "9f3a"),
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
        filePages: filePages([8, 3, 1], [2, 1, 1], [3, 2, 1])),
      PagesDocument.Image(ImageReference(path: "/opt/gone.so"), pages: [], filePages: []),
    ])

  @Test func memoryHasATableOfItsOwn() throws {
    var document = Self.document
    document.images[0].memory = MemoryFigures(
      moment: .ready, fileSystem: nil,
      launches: [180, 220, 196].map { code in
        MemoryFigures.Launch(
          rss: (3000 + code) << 10, pss: (700 + code) << 10, peak: nil, imageRSS: (8 + code) << 10,
          imagePSS: (4 + code) << 10,
          mappings: [
            .init(kind: .code, rss: code << 10, pss: code << 10),
            .init(kind: .data, rss: 8 << 10, pss: 4 << 10),
          ])
      })
    #expect(try PagesDocument(parsing: FileBytes(document.json())) == document)
    #expect(
      PagesText(document).text.contains(
        """
           BYTES  RESIDENT MEMORY WHEN READY, MEDIAN OF 3 LAUNCHES
          -------  ------------------------------------------------
            3.1Mi  RSS of the process
          896.0Ki  PSS of the process
          204.0Ki  RSS of the image
          200.0Ki  PSS of the image
          196.0Ki  RSS of the image: code
            8.0Ki  RSS of the image: writable data
          unknown  file system of the image

        """.replacing("   BYTES", with: "    BYTES")))
  }

  @Test func theTextIsAsRecorded() throws {
    let text = PagesText(Self.document, width: 100, listsPages: true).text
    try expectGolden(text, "reporting/pages/expected.txt")
  }

  @Test func theDocumentIsAsRecordedAndReadsBackEqual() throws {
    let json = Self.document.json()
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/pages/expected.json")
    #expect(try PagesDocument(parsing: FileBytes(json)) == Self.document)
  }
}
