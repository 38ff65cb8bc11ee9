import Budget
import ByteReading
import Ordering
import TestSupport
import Testing

/// The report of `verify` on images that prefetch, or should prefetch.
@Suite struct PrefetchedRegionTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds() }

  private static let first = "orderfile_prefetch_first"
  private static let last = "orderfile_prefetch_last"

  private func verified(
    image: [String], order: [String] = [first, "f1", "f2", last, "f3"]
  ) throws -> OrderFileVerification {
    try builds.writeImage(image, "app", id: [0x01])
    try builds.write(order.joined(separator: "\n") + "\n", "app.order")
    return try OrderFileVerification(
      .init(order: builds.path("app.order"), images: [builds.path("app")]))
  }

  @Test(arguments: [
    (["f0", first, "f1", "f2", last, "f3"], "prefetched", 3072, 0),
    ([first, "f2", last, "f1", "f3"], "prefetched", 2048, 1),
    (["f1", first, last, "f2", "f3"], "prefetched", 1024, 2),
    ([last, "f1", "f2", first, "f3"], "reversed", 0, 2),
    (["f1", "f2", "f3"], "no-anchors", 0, 2),
    ([first, "f1", "f2", "f3"], "no-anchors", 0, 2),
    ([first] + (10..<110).map { "g\($0)" } + ["f1", "f2", last, "f3"], "too-large", 105_472, 2),
  ]) func theImageIsComparedWithTheOrder(
    image: [String], state: String, bytes: UInt64, outside: Int
  ) throws {
    let document = try verified(image: image).document
    let region = try #require(document.prefetch)
    #expect(region.state.rawValue == state && region.bytes == bytes)
    #expect(region.functions == 2 && region.outside == outside)
    let figures = VerifyFigures(document)
    #expect(figures.prefetch?.all == 2 && figures.prefetch?.outside == outside)
    #expect(try VerifyFigures(parsing: FileBytes(document.json())) == figures)
    let limits = try CommandLimits(parsing: ["verify.unprefetched<=0%"], of: .verify)
    let failures = try limits.failures(of: .verify(figures), path: "app.order", remedy: { _ in "" })
    #expect(failures.isEmpty == (outside == 0))
  }

  @Test func textSaysWhatToDo() throws {
    #expect(
      VerifyText(try verified(image: [Self.first, "f2", Self.last, "f1", "f3"]).document).text
        .contains(
          "\nprefetched: 2 KiB of code; 1 of 2 listed functions (50.0%) is not in this code\n"))
    #expect(
      VerifyText(try verified(image: ["f1", "f2", "f3"]).document).text.contains(
        "\nprefetched: nothing: the image has no anchors; compile the source file of 'gen --prefetch', "
          + "and link it into the image\n"))
  }

  @Test func anOrderWithoutAnchorsSaysNothingOfPrefetching() throws {
    let document = try verified(image: ["f1", "f2", "f3"], order: ["f1", "f2"]).document
    #expect(document.prefetch == nil && VerifyFigures(document).prefetch == nil)
    #expect(!VerifyText(document).text.contains("prefetch"))
  }

  @Test(arguments: [
    [last, "f1", first], [first, first, last, last], [last, first], [first, last],
  ]) func oddOrdersAreNoError(order: [String]) throws {
    let region = try #require(
      try verified(image: [Self.first, "f1", Self.last], order: order + ["f1"]).document.prefetch)
    #expect(region.functions == 0 || region.functions == 1)
  }
}
