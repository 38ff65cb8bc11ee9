import FaultEstimate
import ImageModel
import ModelSamples
import TestSupport
import Testing

@Suite struct MachOTextTests {
  static let base: UInt64 = 0x1_0000_0000

  /// A `__TEXT` of 16 pages of 16 KiB: the header on page 0, functions on pages 1 to 11, then a page of
  /// stubs that begins in the last page of the functions, initialisers and three pages of selectors.
  static func layout(
    _ functions: [(UInt64, UInt64)], base: UInt64 = MachOTextTests.base, others: Bool = true
  ) -> Layout {
    let text = [
      SampleSection(name: "__TEXT,__text", address: base + 0x4000, size: 0x2_a000),
      SampleSection(name: "__TEXT,__stubs", address: base + 0x2_e000, size: 0x4000),
      SampleSection(name: "__TEXT,__init_offsets", address: base + 0x3_2000, size: 8),
      SampleSection(name: "__TEXT,__cstring", address: base + 0x3_2008, size: 0x1ff8),
      SampleSection(name: "__TEXT,__objc_methname", address: base + 0x3_4000, size: 0xc000),
      SampleSection(name: "__DATA,__objc_methname", address: base + 0x4_0000, size: 0x10_0000),
    ]
    return sampleLayout(
      functions.enumerated().map {
        SampleFunction(
          name: "f\($0.offset)", address: base + $0.element.0, size: $0.element.1, section: 0)
      }, sections: others ? text : [text[0]], format: .machO)
  }

  @Test func headerStubsInitialisersAndSelectorsAreCountedBesideFunctions() {
    let layout = Self.layout([(0x4000, 0x10), (0x2_d000, 0x1000)])
    let estimate = PageFaultEstimate(
      of: layout, startup: [0, 1], pageSize: .sixteenKibibytes)
    let rows = estimate.sections.map { "\($0.name) \($0.cause.rawValue) \($0.touched.pages)" }
    // Page 11 (0x2_c000) holds a function and the first stubs, page 12 the other stubs and the
    // initialisers. Functions come first, though they have fewer bytes.
    #expect(
      rows == [
        "Mach-O header firstPage 1", "__TEXT,__text startupFunctions 2", "__TEXT,__stubs whole 1",
        "__TEXT,__init_offsets whole 0", "__TEXT,__objc_methname whole 3",
      ])
    #expect(estimate.total.pages == 7)
    #expect(estimate.total.startupFunctions == 2)
    #expect(estimate.total.startupBytes == 0x10 + 0x1000 + 0x4000 + 8 + 0xc000)
    #expect(estimate.total.floorPages == 5)
    #expect(estimate.curve.pagesAfterStep == [7, 7])
  }

  @Test func aLaunchWithoutStepsTouchesNothing() {
    let estimate = PageFaultEstimate(
      of: Self.layout([]), startup: [], pageSize: .sixteenKibibytes)
    #expect(estimate.total == TouchedPages())
    #expect(estimate.sections.isEmpty)
    #expect(estimate.xnuReads.allSatisfy { $0.reads == 0 && $0.bytesRead == 0 })
  }

  @Test func anImageOfAnotherFormatHasNoReadModel() {
    let layout = sampleLayout([SampleFunction(name: "main", address: 0x1000, size: 16)])
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .sixteenKibibytes)
    #expect(estimate.xnuReads.isEmpty)
    #expect(estimate.sections.map(\.cause) == [.startupFunction])
  }

  /// The header's page is far from the functions, or near. The reads show which distance the estimate assumes.
  @Test(
    arguments: [
      ("an executable", 0x1_0000_0000, 9, 4), ("a dynamic library", 0, 9, 4),
      ("another 4 GiB", 0x5_0000_0000, 9, 4),
      // The estimate assumes that the header is on the page before the first section, so one read brings both.
      ("an image base", 0x2000_0000, 9, 2), ("an image base and room", 0x2000_0020, 9, 1),
    ] as [(String, UInt64, UInt64, UInt64)])
  func theHeaderLiesWhereLinkersPutIt(
    _ what: String, _ base: UInt64, _ firstPage: UInt64, _ pagesRead: UInt64
  ) {
    let start = base + firstPage * 0x4000
    let layout = sampleLayout(
      [SampleFunction(name: "main", address: start, size: 16)],
      sections: [SampleSection(name: "__TEXT,__text", address: start, size: 16)], format: .machO)
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .sixteenKibibytes)
    #expect(estimate.total.pages == (base == 0x2000_0020 ? 1 : 2), "\(what)")
    #expect(estimate.xnuReads.first?.bytesRead == pagesRead * 16384, "\(what)")
  }

  @Test func theKernelsReadWhatAFunctionLaunchTouches() {
    // The pages in the order of their touches: 0 (header), 8, 4, 5. Reads on iOS: [0 1], [7 8], [3 4], [5]; on macOS,
    // each read is one page.
    let layout = Self.layout(
      [(0x1_0000, 16), (0x1_4000, 16), (0x2_0000, 16)], others: false)
    let estimate = PageFaultEstimate(of: layout, startup: [2, 0, 1], pageSize: .sixteenKibibytes)
    #expect(
      estimate.xnuReads == [
        XNUReads(kernel: .iOS, reads: 4, bytesRead: 7 * 16384),
        XNUReads(kernel: .macOS, reads: 4, bytesRead: 4 * 16384),
      ])
    #expect(
      PageFaultEstimate(of: layout, startup: [2, 0, 1], pageSize: .fourKibibytes).xnuReads.map(
        \.kernel) == [.macOS])
    #expect(
      PageFaultEstimate(of: layout, startup: [0], pageSize: .sixtyFourKibibytes).xnuReads.isEmpty)
  }

  @Test func aFunctionOfSeveralPagesIsReadFromItsEntryOn() {
    // The launch touches page 0, then pages 4 to 11. Reads: [0 1], [3 4], [5], [6], [7], then a sequential read that
    // ends at the end of the segment: [8 ... 11].
    let layout = Self.layout([(0x1_0000, 0x1_e000)], others: false)
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .sixteenKibibytes)
    #expect(estimate.xnuReads.first == XNUReads(kernel: .iOS, reads: 6, bytesRead: 11 * 16384))
  }

  @Test func whatClaimsMoreThanALinkerMakesIsNotSimulated() {
    let layout = sampleLayout(
      [SampleFunction(name: "f", address: 0x1000, size: .max)],
      sections: [SampleSection(name: "__TEXT,__text", address: 0x1000, size: .max)], format: .machO)
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .sixteenKibibytes)
    #expect(estimate.xnuReads.isEmpty)
    #expect(estimate.total.pages > 1 << 49)
  }

  @Test func rowsSumUpAndReadsAreBoundOnRandomLayouts() {
    var random = SeededRandom(seed: 51)
    for _ in 0..<100 {
      let functions = (0..<Int.random(in: 1...100, using: &random)).map { _ in
        (
          UInt64.random(in: 0x4000..<0x2_e000, using: &random),
          UInt64.random(in: 0...9000, using: &random)
        )
      }
      let layout = Self.layout(functions, others: Bool.random(using: &random))
      let startup = Array(layout.functions.indices.shuffled(using: &random).prefix(30))
      for pageSize in [PageSize.fourKibibytes, .sixteenKibibytes] {
        let estimate = PageFaultEstimate(of: layout, startup: startup, pageSize: pageSize)
        #expect(estimate.sections.map(\.touched).reduce(TouchedPages(), +) == estimate.total)
        #expect(estimate.curve.pageCount == estimate.total.pages, "seed 51")
        #expect(estimate.total.floorPages <= estimate.total.pages, "seed 51")
        for reads in estimate.xnuReads {
          #expect(reads.reads <= estimate.total.pages, "seed 51")
          #expect(reads.bytesRead >= UInt64(estimate.total.pages) * pageSize.bytes, "seed 51")
          #expect(reads.bytesRead <= 0x4_0000, "seed 51: the segment has 16 pages of 16 KiB")
        }
      }
    }
  }
}
