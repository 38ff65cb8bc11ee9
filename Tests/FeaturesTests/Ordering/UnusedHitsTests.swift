import CommandSupport
import ImageModel
import Testing

@Suite struct UnusedHitsTests {
  private static func hits(
    _ count: Int, in image: String?, of trace: String, _ reason: UnusedHits.Reason = .anotherImage
  ) -> UnusedHits {
    UnusedHits(
      trace: trace, image: image, imageID: nil, hits: count, functions: count, hitsInTrace: 100,
      reason: reason)
  }

  @Test func anUnusedTraceIsAnotherKindOfWarning() {
    let warnings = Diagnostic.unused([[Self.hits(100, in: "/x", of: "a", .anotherProgram)]])
    #expect(warnings.map(\.kind) == [.unusedTrace])
  }

  /// It makes no difference which trace has more hits.
  @Test func tracesThatLeaveTheSameImagesUnusedShareALine() {
    let warnings = Diagnostic.unused([
      [Self.hits(10, in: "/x", of: "a"), Self.hits(5, in: "/y", of: "a")],
      [Self.hits(6, in: "/y", of: "b"), Self.hits(5, in: "/x", of: "b")],
    ])
    #expect(
      warnings.map(\.message) == [
        "this and 1 more trace: 26 of 200 hits are not used: 15 in 'x', 11 in 'y'"
      ])
  }

  @Test func theFirstLineWithAnImageHasTheHint() {
    let warnings = Diagnostic.unused(
      [
        [Self.hits(3, in: nil, of: "a", .noImage)], [Self.hits(2, in: "/x", of: "b")],
        [Self.hits(2, in: "/y", of: "c")],
      ], remedies: [Remedy("give it")])
    #expect(warnings.map(\.hint) == [nil, "give it", nil])
    #expect(warnings.allSatisfy { $0.kind == .unusedHits })
  }
}
