import Addresses
import ByteReading
import ImageModel
import JSON
import PagesFormat
import TestSupport
import Testing

@Suite struct PagesDocumentTests {
  static let example = """
    {
      "command": ["./app", "a \\"b\\" \\u00e9\\ud83d\\ude00\\n"],
      "exitStatus": 0,
      "images": [
        {
          "dataPages": 1, "filePages": [
            {"data": 1, "pageSizeBytes": 4096, "readOnly": 2, "text": 3}
          ], "id": "0a1b", "pages": [
            {"access": "execute", "address": "0x1000", "function": "main", "pc": "0x1010", "segment": "text", "step": 0},
            {"access": "read", "address": "0x2000", "function": null, "pc": null, "pcImage": "/lib/ld.so", "segment": "read-only", "step": 1},
            {"access": "kernel", "address": "0xffffffffffff0000", "function": "", "pc": "0x1018", "segment": "data", "step": 7}
          ], "path": "/tmp/app", "textPages": 1, "extra": {"deep": [1, 2.5e3, true, null, []]}
        },
        {"id": null, "path": "/gone", "pages": []}
      ],
      "method": "preload",
      "schema": "orderfile.pages/1"
    }

    """

  static func parse(_ text: String) throws(ParseError) -> PagesDocument {
    try PagesDocument(parsing: FileBytes(Array(text.utf8)))
  }

  @Test func readsWhatTheCommandWrites() throws {
    let document = try Self.parse(Self.example)
    #expect(document.command == ["./app", "a \"b\" é😀\n"])
    #expect(document.end == .exited(0))
    #expect(document.method == "preload")
    #expect(document.images.map(\.path) == ["/tmp/app", "/gone"])
    #expect(document.images.map(\.id) == ["0a1b", nil])
    let pages = document.images[0].pages
    #expect(pages.map(\.access) == [.execute, .read, .kernel])
    #expect(pages.map(\.segment) == [.text, .readOnly, .data])
    #expect(pages.map(\.address.rawValue) == [0x1000, 0x2000, 0xffff_ffff_ffff_0000])
    #expect(pages.map { $0.instruction?.rawValue } == [0x1010, nil, 0x1018])
    #expect(pages.map(\.function) == ["main", nil, ""])
    #expect(pages.map(\.instructionImage) == [nil, "/lib/ld.so", nil])
    #expect(
      document.images[0].filePages == [
        PagesDocument.FilePages(pageSize: .fourKibibytes, text: 3, readOnly: 2, data: 1)
      ])
    #expect(document.images[1].filePages.isEmpty)
    #expect(pages.map(\.step) == [0, 1, 7])
  }

  static let page =
    #"{"access": "execute", "address": "0x1000", "segment": "text", "step": 0}"#
  static func document(page: String) -> String {
    #"{"images": [{"path": "a", "pages": [\#(page)]}], "command": [], "exitStatus": 0, "#
      + #""method": "ptrace", "schema": "orderfile.pages/1"}"#
  }

  @Test(
    arguments: [
      ("", "ends early, in 'document' (at line 1, column 1)"),
      ("\u{7f}ELF", "invalid document: expected '{', found 0x7f (at offset 0x0)"),
      ("[]", "invalid document: expected '{', found '[' (at offset 0x0)"),
      ("{}", "missing schema (at offset 0x0)"),
      (
        #"{"schema": "orderfile.diff/1"}"#,
        "invalid schema: expected orderfile.pages/1, found orderfile.diff/1 (at offset 0x0)"
      ),
      (#"{"schema": "orderfile.pages/1"}"#, "missing command (at offset 0x0)"),
      (#"{"schema": 1}"#, "invalid schema: expected a string, found '1' (at offset 0xb)"),
      (
        #"{"schema": "orderfile.pages/1"} x"#,
        "invalid document: expected the end, found 'x' (at offset 0x20)"
      ),
      (#"{"a": bogus}"#, "invalid a: expected a value, found bogus (at offset 0x6)"),
      (#"{"a": 1"#, "invalid document: expected ',' or '}', found"),
      (document(page: "{}"), "missing access (at offset 0x24)"),
      (
        document(page: page.replacing("execute", with: "jump")),
        "invalid access: expected one of execute, read, write, kernel, found 'jump' (at offset 0x2f)"
      ),
      (
        document(page: page.replacing("0x1000", with: "4096")),
        "invalid address: expected a hexadecimal address, found '4096' (at offset 0x45)"
      ),
      (
        document(page: page.replacing("0}", with: "0.5}")),
        "invalid step: expected a whole number, found 0.5 (at offset 0x6a)"
      ),
      (
        #"{"schema": "\x"}"#, "invalid schema: expected an escape, found 0x78 (at offset 0xd)"
      ),
      (
        String(repeating: "[", count: 5),
        "invalid document: expected '{', found '[' (at offset 0x0)"
      ),
    ])
  func saysWhatIsWrong(text: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Self.parse(text) }
    let found = error?.description ?? ""
    if message.hasSuffix("found") {
      #expect(found.hasPrefix("ends early, in 'document' (at line 1, column "))
    } else {
      #expect(found == message)
    }
  }

  static let written = PagesDocument(
    command: ["./app", "größe \"x\"\n"], end: .killed(signal: 11), method: "ptrace",
    images: [
      PagesDocument.Image(
        ImageReference(path: "/opt/app", architecture: .arm64, id: "9f3a"),
        pages: [
          page(.execute, .text, 0x1000), page(.execute, .text, 0x2000), page(.read, .text, 0x2000),
          page(.write, .text, 0x9000), page(.kernel, .data, 0xffff_ffff_ffff_f000),
          page(.read, .readOnly, 0x4000), page(.read, .readOnly, 0x5000),
        ],
        filePages: [
          PagesDocument.FilePages(pageSize: .sixteenKibibytes, text: 3, readOnly: 1, data: 2)
        ]),
      PagesDocument.Image(ImageReference(path: ""), pages: [], filePages: []),
    ])

  static func page(
    _ access: Access, _ segment: Segment, _ address: UInt64
  ) -> PagesDocument.Page {
    PagesDocument.Page(
      access: access, address: StatedAddress(rawValue: address), segment: segment,
      function: access == .execute ? "a\u{1b}\"\\" : nil,
      instruction: access == .execute ? StatedAddress(rawValue: address + 4) : nil,
      instructionImage: access == .kernel ? "/lib/c" : nil, step: Int(address % 7))
  }

  @Test(arguments: ["", "ARM\\u001b[31m", "größe", "a\\n"])
  func refusesWhatIsNoNameOfAnArchitecture(name: String) {
    let text = Self.example.replacing(
      "{\"id\": null", with: "{\"architecture\": \"\(name)\", \"id\": null")
    let error = #expect(throws: ParseError.self) { try Self.parse(text) }
    #expect(
      error?.description.hasPrefix(
        "invalid architecture: expected the name of an architecture, as x86_64, found") ?? false)
  }

  @Test func whatIsWrittenReadsBackEqual() throws {
    #expect(try PagesDocument(parsing: FileBytes(Self.written.json())) == Self.written)
  }

  @Test func pagesOfASegmentAreCountedOnceOfEachSize() {
    let image = Self.written.images[0]
    #expect(image.count(of: .text) == 3)
    #expect(image.textCount(executed: true) == 2)
    #expect(image.textCount(executed: false) == 2)
    #expect(image.textOnlyReadCount() == 1)
    #expect(image.textCount(executed: true, .sixteenKibibytes) == 1)
    #expect(image.textOnlyReadCount(.sixtyFourKibibytes) == 0)
    #expect(image.count(of: .readOnly) == 2)
    #expect(image.count(of: .readOnly, .sixteenKibibytes) == 1)
    #expect(image.fileCount(of: .data, .sixteenKibibytes) == 2)
    #expect(image.fileCount(of: .data, .fourKibibytes) == nil, "not counted")
  }

  @Test func depthIsLimited() {
    let deep = #"{"a": "# + String(repeating: "[", count: 100_000)
    let error = #expect(throws: ParseError.self) { try Self.parse(deep) }
    #expect(error?.reason == .tooLarge(limit: 64, found: 65))
  }

  @Test func everyPrefixThrowsHostile() {
    let bytes = Array(Self.example.utf8)
    let end = bytes.count - 2  // the last brace and the newline
    for length in hostilePrefixLengths(of: bytes) where length <= end {
      #expect(throws: ParseError.self, "\(length)") {
        try PagesDocument(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
  }

  @Test func flippedBytesNeverTrap() {
    for copy in byteFlips(of: Array(Self.example.utf8)) {
      _ = try? PagesDocument(parsing: FileBytes(copy))
    }
  }
}
