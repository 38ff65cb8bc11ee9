import ImageModel
import OrderFileFormat
import Ordering
import TestSupport
import Testing

/// The way from traces to the source file of `gen --prefetch`, and to the anchors in the order file.
@Suite struct PrefetchGenerationTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func order(
    linker: String? = nil, prefetchPath: String? = "app-prefetch.c", image: String = "after"
  ) throws -> GeneratedOrder {
    var options = OrderGeneration.Options(traces: [builds.path("app.oftrace")])
    options.builds = .one(image: builds.path(image))
    options.prefetchPath = prefetchPath
    options.linker = linker.flatMap { OrderFileDialect(name: $0) }
    var generation = try OrderGeneration(options)
    return try generation.order(ofImageNamed: generation.fileNames[0], outputPath: "app.order")
  }

  private func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  @Test func theAnchorsAreBeforeAndAfterTheOrderedFunctions() throws {
    let order = try order()
    #expect(
      lines(order.bytes) == ["orderfile_prefetch_first", "orderfile_prefetch"] + SampleBuilds.used
        + ["orderfile_prefetch_last"])
    let summary = try #require(order.image.prefetch)
    #expect(summary.outputPath == "app-prefetch.c" && summary.codeBytes == 4 * SampleBuilds.size)
    #expect(order.image.functions.missing == [] && order.image.functions.resolved == 4)
  }

  @Test func withoutTheRequestNothingIsAdded() throws {
    let order = try order(prefetchPath: nil)
    #expect(lines(order.bytes) == SampleBuilds.used && order.prefetchSource == nil)
    #expect(order.image.prefetch == nil)
  }

  @Test(arguments: ["gold", "gnu-ld"]) func linkersOfSectionsGetTheSectionsOfTheAnchors(
    linker: String
  ) throws {
    let sections = lines(try order(linker: linker).bytes).compactMap { line in
      line.split(whereSeparator: { "\"() *{}".contains($0) }).first { $0.hasPrefix(".text.") }
    }
    let first = try #require(sections.firstIndex(of: ".text.orderfile_prefetch_first"))
    let last = try #require(sections.firstIndex(of: ".text.orderfile_prefetch_last"))
    #expect(sections[first + 1] == ".text.orderfile_prefetch")
    for name in SampleBuilds.used {
      let place = try #require(sections.firstIndex(of: ".text.\(name)"))
      #expect(first < place && place < last)
    }
  }

  @Test func theAnchorsSurroundOnlyThePartsThatRan() throws {
    let build = MappedBuild(
      id: [0xab], functions: [SplitGenerationTests.main, SplitGenerationTests.parse])
    try builds.workshop.write(build.bytes, "split")
    try builds.workshop.write(
      build.trace(ran: [("parse", [0]), ("main", [0, 1, 3])], path: builds.path("split")), "trace")
    var options = OrderGeneration.Options(traces: [builds.path("trace")])
    options.builds = .one(image: builds.path("split"))
    options.split = SplitFormat(name: "clang")
    options.prefetchPath = "app-prefetch.c"
    var generation = try OrderGeneration(options)
    let order = try generation.order(
      ofImageNamed: generation.fileNames[0], outputPath: "app.order")
    #expect(
      lines(order.bytes) == [
        "orderfile_prefetch_first", "orderfile_prefetch", "parse", "main",
        "orderfile_prefetch_last", "parse.cold", "main.cold",
      ])
    #expect(order.image.prefetch?.codeBytes == 96)
  }

  @Test func theSourceHasAllValuesAndIsTheSameEachTime() throws {
    let source = try #require(try order().prefetchSource)
    let text = String(decoding: source, as: UTF8.self)
    #expect(!text.contains("@FIRST@") && !text.contains("@MOST@") && !text.contains("@TITLE@"))
    // The limit is twice the size of the ordered functions, plus 64 KiB.
    #expect(text.contains("#define ORDERFILE_MOST_CODE \(8 * SampleBuilds.size + 65536)UL"))
    // The sample image names no loader.
    #expect(text.contains("#define ORDERFILE_PREFETCH_ARRAY \".init_array.00000\""))
    #expect(try order().prefetchSource == source)
  }

  @Test func onlyImagesOfELFCanPrefetch() throws {
    let symbols = SampleBuilds.functions.enumerated().map {
      "0x\(String(0x1_0000_1000 + 16 * $0.offset, radix: 16))\t0x00000010\t[  1] \($0.element)"
    }
    let map = """
      # Path: app
      # Arch: arm64
      # Object files:
      [  0] linker synthesized
      [  1] app.o
      # Sections:
      # Address\tSize    \tSegment\tSection
      0x100001000\t0x00001000\t__TEXT\t__text
      # Symbols:
      # Address\tSize    \tFile  Name
      \(symbols.joined(separator: "\n"))

      """
    try builds.write(map, "app.map")
    let refused = diagnostic { _ = try order(image: "app.map") }
    #expect(refused?.message == "unable to prefetch: expected an ELF image, found Mach-O")
    #expect(refused?.severity == .mismatch)
  }
}
