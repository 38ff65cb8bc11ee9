import CommandSupport
import FunctionOrder
import ImageModel
import Ordering
import Rendering
import TestSupport
import Testing

@Suite struct GenDocumentTests {
  static let plain = OrderedImage(
    OrderedImage.File(path: "app.order", linker: "lld", entries: 6),
    recording: OrderedImage.Recording(
      image: "/build/app.rec", traces: ["app.oftrace"], functions: 5),
    layout: ImageReference(path: "build/app", architecture: .x8664, id: "9f3a"),
    functions: OrderedImage.Functions(resolved: 5, startupBytes: 5_000, textBytes: 1_100_000))

  static let lossy = OrderedImage(
    OrderedImage.File(
      path: "out\u{1b}put", linker: "gnu-ld", strategy: "balanced", entries: 1),
    recording: OrderedImage.Recording(
      image: "/lib/größe.so", traces: ["a.oftrace", "b \"c\".oftrace"], launches: 2, functions: 9,
      unnamedHits: 1, lostRecords: 12),
    layout: nil,
    functions: OrderedImage.Functions(
      resolved: 5, untracedInitializers: 1, startupBytes: 0, textBytes: 0,
      missing: [
        NameWithReason(name: "gone", reason: "no such symbol"),
        NameWithReason(name: "a\nb", reason: "unable to write: line break in the name"),
        NameWithReason(name: "_Z6inlinev", reason: "no such symbol"),
        NameWithReason(
          name: SymbolName(bytes: [0x66, 0xff]), reason: "unable to write: line break in the name"),
      ]))

  static func image(_ name: String) -> OrderedImage {
    var image = name == "lossy" ? lossy : plain
    image.file.linkOption = name == "lossy" ? "-Wl,-T," : "-Wl,--symbol-ordering-file="
    if name == "split" { image.split = split }
    if name == "renamed" {
      image.file.linker = "mold"
      image.file.linkerSource = .option
      image.renaming = renaming
    }
    return image
  }

  static let split: SplitSummary = {
    var split = SplitSummary()
    split.outputPath = "app.clusters"
    split.format = "clang"
    split.use = "compile with -fbasic-block-sections=list=app.clusters"
    split.functions = 3
    split.hotBytes = 2_100
    split.coldBytes = 7
    split.leftWhole = [NameWithReason(name: "parse", reason: "drifted")]
    var unmapped = UnmappedCode()
    unmapped.functions = 2
    unmapped.bytes = 1_024
    unmapped.ofFunctions = 5
    unmapped.ofBytes = 5_000
    split.unmapped = unmapped
    var others = CarriedFunctions()
    (others.same, others.matched, others.whole) = (4, 2, 1)
    (others.matchedBlocks, others.blocks, others.new) = (30, 32, 1)
    (others.reached, others.renamed) = (3, 1)
    split.otherBuilds = others
    return split
  }()

  static let renaming = RenamingSummary(
    folder: "out put", linkOptions: "-fuse-ld=mold", sections: 2,
    objects: [
      RenamingSummary.Object(path: "a.o", copy: "out put/a.o", sections: 0),
      RenamingSummary.Object(path: "libb.a", copy: "out put/libb.a", sections: 2),
    ])

  @Test(arguments: ["plain", "lossy", "split", "renamed"]) func textIsAsRecorded(_ name: String)
    throws
  {
    let image = Self.image(name)
    try expectGolden(
      GenText(image).text + "\n--list-missing\n"
        + GenText(image, listsMissing: true, names: upperCase).text + "\n",
      "reporting/gen/\(name)/expected.txt")
  }

  @Test func jsonIsAsRecorded() throws {
    let json = GenDocument(
      images: [Self.plain, Self.lossy, Self.image("split"), Self.image("renamed")],
      unused: [
        UnusedHits(
          trace: "a.oftrace", image: "/lib/b.so", imageID: "0b", hits: 3, functions: 2,
          hitsInTrace: 9, reason: .anotherImage),
        UnusedHits(
          trace: "a.oftrace", image: nil, imageID: nil, hits: 1, functions: 0, hitsInTrace: 9,
          reason: .noImage),
      ]
    ).json()
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/gen/expected.json")
    let value = try parsedJSON(json)
    #expect(value["schema"] as? String == GenDocument.schema)
    #expect((value["images"] as? [[String: Any]])?.count == 4)
  }

  @Test func whatStayedSinceThePreviousOrderIsSaid() throws {
    var image = Self.plain
    image.file.previous = .init(path: "old.order", kept: 4, moved: 1, new: 1, leftOut: 2)
    #expect(
      GenText(image).text.contains(
        "\nkept the places of 4 of 6 entries: 1 moved, 1 new, 2 left out since old.order"))
    let json = String(decoding: GenDocument(images: [image]).json(), as: UTF8.self)
    #expect(
      json.contains(
        "\"previous\": {\"kept\": 4, \"leftOut\": 2, \"moved\": 1, \"new\": 1, \"path\": \"old.order\"}"
      ))
  }

  @Test(arguments: [
    (1, 43, 46, "3 pages of 4 KiB more than with a new order (43 → 46)"),
    (1, 44, 43, "1 page of 4 KiB fewer than with a new order (44 → 43)"),
    (1, 43, 43, "as many pages of 4 KiB as with a new order (43)"),
    (8, 1073, 1085, "1.5 pages of 4 KiB a launch more than with a new order (134.1 → 135.6)"),
    (8, 1080, 1080, "as many pages of 4 KiB as with a new order (135.0 a launch)"),
    (200, 4000, 4001, "as many pages of 4 KiB as with a new order (20.0 a launch)"),
  ])
  func lostPagesArePredicted(launches: Int, new: Int, kept: Int, expected: String) throws {
    var image = Self.plain
    image.file.previous = .init(path: "old.order", kept: 4, moved: 1, new: 1, leftOut: 2)
    image.file.previous?.prediction = KeptPrediction(
      launches: launches, pages: .init(new: new, kept: kept), faults: .init(new: 7, kept: 8))
    image.file.previous?.lostPages = 3
    let faults = ["7 → 8", "0.9 → 1.0", "0.0 → 0.0"][launches == 1 ? 0 : launches == 8 ? 1 : 2]
    #expect(
      GenText(image).text.hasSuffix(
        "2 left out since old.order\npredicted: \(expected); page faults of a cold launch: \(faults)"
      )
    )
    let json = try parsedJSON(GenDocument(images: [image]).json())
    let previous = try #require(
      ((json["images"] as? [[String: Any]])?.first)?["previous"] as? [String: Any])
    #expect(previous["lostPages"] as? Int == 3)
    let predicted = try #require(previous["predicted"] as? [String: Any])
    #expect(predicted["launches"] as? Int == launches)
    #expect(predicted["pages"] as? [String: Int] == ["new": new, "kept": kept])
    #expect(predicted["faults"] as? [String: Int] == ["new": 7, "kept": 8])
  }

  @Test func withoutLaunchesNoPagesArePredicted() {
    var image = Self.plain
    image.file.previous = .init(path: "old.order", kept: 4, moved: 1, new: 1, leftOut: 2)
    image.file.previous?.prediction = KeptPrediction(
      launches: 0, pages: .init(new: 0, kept: 0), faults: .init(new: 0, kept: 0))
    #expect(GenText(image).text.hasSuffix("2 left out since old.order"))
  }

  @Test func theFallbackIsSaid() throws {
    var document = GenDocument(images: [])
    document.fallback = .init(
      path: "last.order", outputPath: "app.order", entries: 1, reason: "traces: missing traces")
    let value = try parsedJSON(document.json())
    let fallback = try #require(value["fallback"] as? [String: Any])
    #expect(fallback["entries"] as? Int == 1 && fallback["path"] as? String == "last.order")
    #expect(
      document.fallback?.text
        == "used the fallback last.order, 1 entry: app.order\nno new order: traces: missing traces")
  }

  @Test func theMostFrequentReasonComesFirst() {
    let reasons = Self.lossy.functions.missingByReason
    #expect(reasons.map(\.count) == [2, 2])
    #expect(reasons.map(\.reason).first == "no such symbol")
    var image = Self.lossy
    image.functions.missing.removeFirst()
    #expect(image.functions.missingByReason.map(\.count) == [2, 1])
  }
}
