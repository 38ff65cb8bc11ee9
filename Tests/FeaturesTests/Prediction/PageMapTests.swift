import Addresses
import ByteReading
import FaultEstimate
import ImageModel
import PagesFormat
import Prediction
import TestSupport
import Testing

@Suite struct PageMapTests {
  private static func address(_ value: UInt64) -> StatedAddress { StatedAddress(rawValue: value) }

  private static func range(_ start: UInt64, _ size: UInt64) -> AddressRange {
    AddressRange(start: address(start), size: size)
  }

  private static func touched(
    _ start: UInt64, _ access: Access, _ segment: Segment = .text
  ) -> PagesDocument.Page {
    PagesDocument.Page(
      access: access, address: address(start), segment: segment, function: nil, instruction: nil,
      instructionImage: nil, step: 0)
  }

  private static let mappings: [(segment: Segment, range: AddressRange)] = [
    (.readOnly, range(0x0, 0x800)), (.text, range(0x1000, 0x4_1000)),
    (.data, range(0x5_0000, 0x100)),
  ]

  /// Returns the diff with maps of two measured launches.
  static func document(isMeasured: Bool = true) -> DiffDocument {
    var document = DiffDocumentTests.document("elf-measured")
    func map(_ layout: Layout, _ pages: [PagesDocument.Page], _ ordered: AddressRange?) -> PageMap {
      PageMap(
        of: layout, mappings: mappings,
        touches: estimate(layout).touches, measured: isMeasured ? pages : nil, ordered: ordered,
        pageSize: .fourKibibytes)
    }
    let everywhere = [
      touched(0x0, .read, .readOnly), touched(0x5_0000, .kernel, .data),
      touched(0x5_0000, .write, .data),
    ]
    document.prediction.pageMaps = BeforeAfter(
      before: map(
        DiffDocumentTests.before,
        everywhere + [0x1000, 0x3000, 0x9000, 0x3_4000].map { touched($0, .execute) }, nil),
      after: map(
        DiffDocumentTests.after,
        everywhere + [0x1000, 0x2000, 0x3000].map { touched($0, .execute) },
        range(0x2000, 0x144c)))
    return document
  }

  private static func estimate(_ layout: Layout) -> PageFaultEstimate {
    var facts = LaunchFacts()
    facts.references = [
      LaunchFacts.Reference(
        site: layout.functions[1].address,
        touch: LaunchFacts.Touch(.constant, range(0x3_8000, 1)))
    ]
    let startup = DiffDocumentTests.startup.compactMap { name in
      layout.functions.firstIndex { layout.name(of: $0) == name }
    }
    return PageFaultEstimate(
      of: layout, startup: startup, pageSize: .fourKibibytes, facts: facts)
  }

  private static func text(_ style: PageMapStyle) throws -> String {
    try #require(PageMapText(document(), style: style)).text
  }

  @Test func theMapIsAsRecorded() throws {
    try expectGolden(Self.text(PageMapStyle()), "reporting/diff/map/expected.txt")
    let coarse = PageMapStyle(width: 40, isASCII: true, scale: MapScale("16k"))
    try expectGolden(Self.text(coarse), "reporting/diff/map/coarse.txt")
    try expectGolden(
      String(decoding: Self.document().json(), as: UTF8.self), "reporting/diff/map/expected.json")
  }

  @Test(arguments: [false, true]) func itReadsBackEqual(isMeasured: Bool) throws {
    let document = Self.document(isMeasured: isMeasured)
    #expect(try DiffReadingTests.parse(document.json()) == document)
  }

  @Test func impossibleMapsAreNotRead() throws {
    func read(_ change: (inout PageMap) -> Void) throws {
      var document = Self.document()
      if var maps = document.prediction.pageMaps {
        change(&maps.after)
        document.prediction.pageMaps = maps
      }
      _ = try DiffReadingTests.parse(document.json())
    }
    try read { _ in }
    #expect(throws: ParseError.self) { try read { $0.segments.reverse() } }
    #expect(throws: ParseError.self) { try read { $0.segments[0].range = Self.range(0, 0) } }
    #expect(throws: ParseError.self) { try read { $0.pages.reverse() } }
    #expect(throws: ParseError.self) { try read { $0.pages[0].address = Self.address(0x10) } }
  }

  /// The picture shows the pages that the table counts.
  @Test func itsPagesAreThoseThatAreCounted() {
    for layout in [DiffDocumentTests.before, DiffDocumentTests.after] {
      let estimate = Self.estimate(layout)
      for mappings in [Self.mappings, []] {
        let map = PageMap(
          of: layout, mappings: mappings, touches: estimate.touches, measured: nil, ordered: nil,
          pageSize: .fourKibibytes)
        #expect(map.pages.count == estimate.total.pages)
        let bytes = map.pages.reduce(0) { $0 + $1.usedBytes }
        #expect(bytes == Int(estimate.total.startupBytes))
      }
    }
  }

  @Test func overlapsCountOnceAndCausesAscend() {
    func touch(_ start: UInt64, _ size: UInt64, _ cause: TouchCause) -> PageFaultEstimate.Touch {
      PageFaultEstimate.Touch(step: 0, bytes: Self.range(start, size), cause: cause, function: nil)
    }
    let map = PageMap(
      of: sampleLayout([]), mappings: Self.mappings,
      touches: [
        touch(0x2010, 4, .constant), touch(0x2000, 0x1800, .startupFunction),
        touch(0x2100, 0x2000, .startupFunction), touch(0x700, 0, .header),
        touch(0x9000, 1 << 60, .mergedBody), touch(0xa000, 1 << 60, .mergedBody),
      ], measured: nil, ordered: nil, pageSize: .fourKibibytes)
    #expect(map.pages.map(\.address.rawValue).prefix(5) == [0, 0x2000, 0x3000, 0x4000, 0x9000])
    #expect(map.pages.map(\.usedBytes).prefix(5) == [0, 0x1000, 0x1000, 0x100, 0x1000])
    #expect(map.pages[1].causes == [.startupFunction, .constant])
    #expect(map.pages.last?.address.rawValue == 0x5_0000)
  }

  @Test func anImageThatClaimsAllAddressesIsCutOff() {
    let map = PageMap(
      of: sampleLayout([]), mappings: [(.text, Self.range(0x1000, .max))],
      touches: (0..<1000).map {
        PageFaultEstimate.Touch(
          step: $0, bytes: Self.range(0x1000, .max), cause: .startupFunction, function: nil)
      }, measured: nil, ordered: nil, pageSize: .fourKibibytes, mostPages: 3)
    #expect(map.pages.map(\.address.rawValue) == [0x1000, 0x2000, 0x3000])
    #expect(map.isCutOff && map.touchesOutside == 0)
  }

  @Test func touchesOutsideOfSegmentsAreCounted() {
    let map = PageMap(
      of: sampleLayout([]), mappings: Self.mappings,
      touches: [0x2000, 0x900_0000, UInt64.max - 0xfff].map {
        PageFaultEstimate.Touch(
          step: 0, bytes: Self.range($0, 16), cause: .startupFunction, function: nil)
      }, measured: nil, ordered: nil, pageSize: .fourKibibytes)
    #expect(map.pages.count == 1 && map.touchesOutside == 2 && !map.isCutOff)
  }

  /// With large pages, several segments share a page.
  @Test(arguments: [PageSize.fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes])
  func eachPageCountsForOneSegment(_ pageSize: PageSize) {
    let mappings: [(segment: Segment, range: AddressRange)] = [
      (.readOnly, Self.range(0x0, 0x800)), (.data, Self.range(0x900, 0x10)),
      (.text, Self.range(0x1000, 0x1_1000)), (.data, Self.range(0x1_2800, 0x100)),
      (.data, Self.range(0x1_3000, 0x2_0000)),
    ]
    let map = PageMap(
      of: sampleLayout([]), mappings: mappings,
      touches: [0x10, 0x900, 0x1000, 0x1_1f00, 0x1_2800, 0x1_3000, 0x3_2000].map {
        PageFaultEstimate.Touch(
          step: 0, bytes: Self.range($0, 16), cause: .startupFunction, function: nil)
      }, measured: nil, ordered: nil, pageSize: pageSize)
    let numbers = map.pageNumbers(pageSize)
    #expect(numbers.count == mappings.count)
    let owners = map.pages.map { page in
      numbers.count { $0.contains(pageSize.page(of: page.address)) }
    }
    #expect(owners.allSatisfy { $0 == 1 } && !owners.isEmpty)
    #expect(numbers[2].contains(pageSize.page(of: Self.address(0x1000))))
  }

  @Test func colourAddsNothingButColour() throws {
    let plain = try Self.text(PageMapStyle())
    let coloured = try Self.text(PageMapStyle(isColoured: true))
    #expect(coloured.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain && coloured != plain)
    let ascii = try Self.text(PageMapStyle(isASCII: true))
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 })
    #expect(ascii.count == plain.count)
  }

  @Test(arguments: [20, 40, 80, 200]) func noLineIsWiderThanAsked(_ width: Int) throws {
    let lines = try Self.text(PageMapStyle(width: width)).split(separator: "\n")
    // A cell takes at least the addresses and sixteen characters.
    let cells = lines.filter { $0.contains(/^ +0x[0-9a-f]+ [^,]/) }
    #expect(cells.count > 4 && cells.allSatisfy { $0.count <= max(width, 28) })
    let legend = lines.prefix { !$0.hasPrefix("  before") }
    #expect(legend.count > 4 && legend.allSatisfy { $0.count <= max(width, 50) })
  }

  @Test func whatDoesNotFitIsGrouped() throws {
    let layout = sampleLayout([("main", 0x2000, 10)])
    var document = DiffDocumentTests.document("elf-measured")
    let map = PageMap(
      of: layout, mappings: [(.text, Self.range(0, 1025 << 12))], touches: [], measured: nil,
      ordered: nil, pageSize: .fourKibibytes)
    document.prediction.pageMaps = BeforeAfter(before: map, after: map)
    let text = try #require(PageMapText(document, style: PageMapStyle())).text
    #expect(text.contains("a character is 2 pages of 4 KiB, 8 KiB\n"))
    #expect(text.contains(" 0x0 · for 1026 pages\n"))
  }

  @Test(arguments: [
    ("4k", 4096), ("64K", 65536), ("1m", 1 << 20), ("1g", 1 << 30), ("2k", nil), ("3m", nil),
    ("2g", nil), ("k", nil), ("", nil), ("4", nil), ("-4k", nil), ("+4k", nil),
    ("18446744073709551615k", nil),
  ]) func aScaleIsAPowerOfTwo(_ text: String, _ bytes: UInt64?) {
    #expect(MapScale(text)?.unit.bytes == bytes)
  }
}
