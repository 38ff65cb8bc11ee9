import ImageModel
import Ordering
import Prediction
import Projects
import TestSupport
import Testing

@Suite struct AutoDocumentTests {
  private static func image(
    _ name: String, isLibrary: Bool, pages: BeforeAfter<Int>
  ) -> AutoDocument.Image {
    var image = AutoDocument.Image(
      name: name, isLibrary: isLibrary, orderName: "\(name).order", linker: "lld", functions: 31,
      compliance: OrderCompliance(entries: 30, present: 30, inOrder: 30), predicted: pages)
    image.pages = pages
    image.pages16k = BeforeAfter(before: pages.before / 3, after: pages.after / 3)
    image.compileOptions = ["-ffunction-sections"]
    image.linkOptions = [
      "-fuse-ld=lld", "-Wl,--build-id", "-Wl,--symbol-ordering-file=/my out/orders/\(name).order",
    ]
    if isLibrary { (image.architecture, image.id) = (.x8664, "9f3a") }
    return image
  }

  private static func document(_ images: [AutoDocument.Image]) -> AutoDocument {
    AutoDocument(
      folder: "/my out",
      commands: [
        AutoDocument.Command(step: "build", command: "make -j2"),
        AutoDocument.Command(step: "launch", command: "./app --help"),
        AutoDocument.Command(step: "relink", command: "make -j2"),
      ], launches: ["./app --help"], method: .breakpoints, images: images,
      warnings: ["./app --help: it left 1 process running\n  hint: in the foreground"])
  }

  private static let two = document([
    image("lib_x.so.1", isLibrary: true, pages: BeforeAfter(before: 12, after: 6)),
    image("a|p\u{1b}p", isLibrary: false, pages: BeforeAfter(before: 30, after: 33)),
  ])

  @Test func allFormsAreAsRecorded() throws {
    try expectGolden(AutoText(Self.two).text, "reporting/auto/expected.txt")
    try expectGolden(AutoMarkdown(Self.two).text, "reporting/auto/expected.md")
    try expectGolden(
      String(decoding: Self.two.json(), as: UTF8.self), "reporting/auto/expected.json")
  }

  @Test(arguments: [
    (
      AutoDocument.Prefetch(
        requests: BeforeAfter(before: 11, after: 9), majorFaults: BeforeAfter(before: 6, after: 1)),
      "prefetching is kept: on the device slow, cold launches have 1 major fault and make 9 requests "
        + "(without it, 6 and 11)"
    ),
    (
      AutoDocument.Prefetch(
        requests: BeforeAfter(before: 2, after: 3), majorFaults: BeforeAfter(before: 1, after: 1),
        refusal: "cold launches do not cost less"),
      "prefetching is left out: on the device slow, cold launches have 1 major fault and make 3 requests "
        + "(without it, 1 and 2)"
    ),
    (
      AutoDocument.Prefetch(refusal: "unable to open /dev/fuse"),
      "prefetching is left out: unable to open /dev/fuse"
    ),
  ])
  func textSaysWhetherImagesPrefetch(prefetch: AutoDocument.Prefetch, expected: String) throws {
    var document = Self.two
    document.prefetch = prefetch
    #expect(prefetch.isRejected == (!prefetch.isKept && prefetch.requests != nil))
    if prefetch.isKept { document.images[1].prefetchName = "app-prefetch.c" }
    #expect(AutoText(document).text.contains("\n\(expected)\n"))
    #expect(AutoMarkdown(document).text.contains("\n- \(expected)\n"))
    #expect(
      AutoText(document).text.contains(": '/my out/orders/app-prefetch.c'\n") == prefetch.isKept)
    let value = try parsedJSON(document.json())
    let written = try #require(value["prefetch"] as? [String: Any])
    #expect(written["isKept"] as? Bool == prefetch.isKept)
    #expect((written["requests"] == nil) == (prefetch.requests == nil))
  }

  private static let split: [(AutoDocument.Split, String)] = {
    var kept = AutoDocument.Split()
    kept.pages = BeforeAfter(before: 148, after: 60)
    kept.pages16k = BeforeAfter(before: 40, after: 17)
    kept.unmapped.functions = 9
    kept.unmapped.bytes = 12_390
    kept.unmapped.ofFunctions = 31
    kept.unmapped.ofBytes = 40_960
    var left = AutoDocument.Split()
    left.pages = BeforeAfter(before: 9, after: 9)
    left.refusal = "the launches execute no fewer pages"
    var none = AutoDocument.Split()
    none.refusal = "no function can be split"
    let pages = "the launches execute"
    return [
      (
        kept,
        "splitting is kept: \(pages) 60 pages (with whole functions in order, 148); 9 of 31 functions "
          + "that ran (12.1 KiB of 40 KiB) have no map of basic blocks, and stay whole"
      ),
      (left, "splitting is left out: \(pages) 9 pages (with whole functions in order, 9)"),
      (none, "splitting is left out: no function can be split"),
      (AutoDocument.Split(), "splitting is kept"),
    ]
  }()

  @Test(arguments: split)
  func textSaysWhetherFunctionsAreSplit(split: AutoDocument.Split, expected: String) throws {
    var document = Self.two
    document.split = split
    #expect(AutoText(document).text.contains("\n\(expected)\n"))
    #expect(AutoMarkdown(document).text.contains("\n- \(expected)\n"))
    let written = try #require(try parsedJSON(document.json())["split"] as? [String: Any])
    #expect(written["isKept"] as? Bool == (split.refusal == nil))
    #expect(
      (written["pages"] as? [String: Int])?["saved"] == split.pages.map { $0.before - $0.after })
  }

  /// The project was recorded in an emulator, and measured: the text distinguishes predictions from measurements.
  private static let emulated: AutoDocument = {
    var document = two
    document.method = .qemu
    document.methodReason = "breakpoints: a | b"
    document.notCounted = "an emulator does not count pages"
    for index in document.images.indices {
      (document.images[index].pages, document.images[index].pages16k) = (nil, nil)
    }
    document.measurements = [
      AutoDocument.Measurement(
        launch: "./app --help", name: "launch-1.json",
        document: MeasureDocumentTests.document("cold-and-warm"))
    ]
    return document
  }()

  @Test func predictionsAndMeasurementsAreAsRecorded() throws {
    try expectGolden(AutoText(Self.emulated).text, "reporting/auto/emulated.txt")
    try expectGolden(AutoMarkdown(Self.emulated).text, "reporting/auto/emulated.md")
    let value = try parsedJSON(Self.emulated.json())
    #expect(value["pages"] == nil && value["method"] as? String == "qemu")
    #expect(value["predictedPages"] as? [String: Int] == ["before": 42, "after": 39, "saved": 3])
    let measurement = try #require((value["measurements"] as? [[String: Any]])?.first)
    #expect(measurement["measurement"] as? String == "measurements/launch-1.json")
    #expect(measurement["provenance"] as? String == "measured")
    #expect((measurement["states"] as? [[String: Any]])?.count == 2)
  }

  /// The launches were still working when they were ended.
  @Test func countsThatDifferAreNotCalledExact() throws {
    var document = Self.two
    document.unsettled = AutoDocument.Unsettled(counts: 3, before: 40...45, after: 39...39)
    let words =
      "not exact: 3 counts found 40 to 45 pages in the default order and 39 in the new one"
    #expect(AutoText(document).text.contains("executed, \(words)\n"))
    #expect(AutoMarkdown(document).text.contains("Measured in 1 launch (\(words)), recorded by"))
    let value = try parsedJSON(document.json())["unsettled"] as? [String: Any]
    #expect(value?["counts"] as? Int == 3)
    #expect(value?["before"] as? [String: Int] == ["lowest": 40, "highest": 45])
    document.unsettled?.before = 39...45
    #expect(AutoText(document).text.contains("in the new one, so that chance may explain the"))
  }

  @Test func figuresOfAllImagesAddUp() throws {
    let value = try parsedJSON(Self.two.json())
    #expect(value["pages"] as? [String: Int] == ["before": 42, "after": 39, "saved": 3])
    #expect(value["image"] as? String == "images/a|p\u{1b}p")
  }

  @Test func oneImageHasNoTotal() {
    let one = Self.document([Self.two.images[0]])
    #expect(!AutoText(one).text.contains("TOTAL") && !AutoMarkdown(one).text.contains("**all**"))
    #expect(one.program == nil && !String(decoding: one.json(), as: UTF8.self).contains("a|p"))
  }
}
