import Addresses
import Audit
import ImageModel
import Rendering
import TestSupport
import Testing

@Suite struct AuditDocumentTests {
  private static let document: AuditDocument = {
    var document = AuditDocument(
      path: "build/\"a\"\u{1b}pp", format: .elf, architecture: .x8664,
      id: ImageID(kind: .buildID, bytes: [0x9f, 0x3a]), pageSize: .fourKibibytes)
    var app = AuditedImage(name: "app", path: "build/app", fileBytes: 70_000)
    app.relocations.counts = [("relative", 120), ("jumpSlot", 7)]
    app.relocations.pages = 3
    var used = AuditedImage(name: "libused.so", path: "/opt/libused.so", fileBytes: 9_000)
    used.relocations.bindsByLibrary = [("libc.so.6", 4)]
    used.objectiveC = .init()
    used.objectiveC?.classes = 2
    used.objectiveC?.nonLazy = 1
    document.images = [app, used]

    var library = AuditedLibrary(
      name: "libused.so", path: "/opt/libused.so", isDirect: true, isEmbedded: true)
    library.requests = [
      .init(image: "app", kind: .required), .init(image: "libweak.so", kind: .weak),
    ]
    library.isExamined = true
    library.wasLoaded = true
    library.firstUseNanoseconds = 1_300_000
    var missing = AuditedLibrary(
      name: SymbolName(bytes: Array("lib\"\n".utf8) + [0xff]), isDirect: false)
    missing.requests = [.init(image: "libused.so", kind: .weak)]
    missing.problem = "not found"
    document.libraries = [library, missing]

    var initializer = AuditedInitializer(
      image: "app", kind: ".init_array", address: StatedAddress(rawValue: 0x1040))
    initializer.name = "_GLOBAL__sub_I_value.cpp"
    initializer.origin = "c++"
    initializer.objectFile = "value.cpp"
    initializer.size = 48
    initializer.pages = 1
    initializer.startNanoseconds = 1_250_000
    initializer.nanoseconds = 40_000
    document.initializers = [
      initializer, AuditedInitializer(image: "libused.so", kind: "+load", address: nil),
    ]
    document.unused = UnusedObjectiveC(
      selectors: [
        .init(name: "neverCalled", classes: ["A", "B(More)"], image: "app", doubt: nil),
        .init(name: "tap:", classes: ["A"], image: "app", doubt: "a nib may name it"),
      ], classes: [.init(name: "Old", image: "app", doubt: nil)], furtherSelectors: 3,
      furtherClasses: 0)
    document.use = ObservedUse(
      candidates: [
        .init(
          kind: .library, name: "libused.so", functions: 412, usedFunctions: 0, bytes: 310_000,
          relocations: 90),
        .init(
          kind: .archive, name: "libx.a", functions: 40, usedFunctions: 1, bytes: 5_000,
          relocations: 12),
      ], notObserved: ["libc.so.6"], traceCount: 2)
    document.findings = [Finding(.image, "build ID", .ok, "9f3a")]
    document.warnings = [Diagnostic("it is damaged", context: ["/opt/libused.so"])]
    return document
  }()

  @Test func allFormsAreAsRecorded() throws {
    try expectGolden(AuditText(Self.document).text, "reporting/audit/expected.txt")
    try expectGolden(
      AuditText(Self.document, listsInitializers: true).text, "reporting/audit/listed.txt")
    try expectGolden(
      String(decoding: Self.document.json(), as: UTF8.self), "reporting/audit/expected.json")
    try expectGolden(
      String(decoding: AuditSARIF(Self.document, toolVersion: "1.2.3").json(), as: UTF8.self),
      "reporting/audit/expected.sarif")
  }

  /// Code scanning needs known rules, relative or absolute URIs, and fingerprints without addresses.
  @Test func eachSARIFResultHasARuleAPlaceAndAFingerprint() throws {
    var document = Self.document
    document.findings = [Finding(.image, "symbols", .error, "stripped", hint: "link without -s")]
    let value = try parsedJSON(AuditSARIF(document, toolVersion: "1.2.3").json())
    let run = try #require((value["runs"] as? [[String: Any]])?.first)
    let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
    let rules = (driver?["rules"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    let results = try #require(run["results"] as? [[String: Any]])
    var seen: Set<String> = []
    for result in results {
      let rule = try #require(result["ruleId"] as? String)
      #expect(rules[try #require(result["ruleIndex"] as? Int)] == rule)
      seen.insert(rule)
      let prints = result["partialFingerprints"] as? [String: String]
      #expect(prints?["audit/v1"]?.contains("0x") == false)
      let place = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"]
      #expect(((place as? [String: Any])?["region"] as? [String: Int])?["startLine"] == 1)
      let artifact = (place as? [String: Any])?["artifactLocation"] as? [String: String]
      #expect(artifact?["uri"] == "build/%22a%22%1Bpp")
    }
    #expect(seen == Set(rules), "each rule has an example")
  }

  /// Each function without a name, and each of several functions with one name, has a fingerprint of its own. A row of
  /// the C runtime that precedes it does not change the fingerprint.
  @Test func fingerprintsAreUnique() throws {
    var document = Self.document
    func initializer(_ name: SymbolName?, _ kind: String) -> AuditedInitializer {
      var initializer = AuditedInitializer(image: "app", kind: kind, address: nil)
      initializer.name = name
      return initializer
    }
    document.initializers =
      [initializer(nil, "DT_INIT")]
      + (0..<6).map { _ in initializer(nil, ".init_array") }
      + (0..<2).map { _ in initializer("__cxx_global_var_init", ".init_array") }
    let value = try parsedJSON(AuditSARIF(document, toolVersion: "1.2.3").json())
    let run = try #require((value["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count { $0["ruleId"] as? String == "initializer" } == 8)
    for name in ["audit/v1", "primaryLocationLineHash"] {
      let prints = results.compactMap { ($0["partialFingerprints"] as? [String: String])?[name] }
      #expect(prints.count == results.count && Set(prints).count == prints.count)
    }
  }

  @Test func initializersAreCountedByImageUnlessTheyAreListed() {
    var document = Self.document
    document.initializers += (0..<570).map { _ in document.initializers[0] }
    let rows = { (text: String) in text.split(separator: "\n").map { $0.split(separator: " ") } }
    let counted = rows(AuditText(document).text)
    #expect(
      counted.contains(["571", "\(571 * 48)", "22.84", "app"])
        && counted.contains(["1", "libused.so"]))
    #expect(rows(AuditText(document, listsInitializers: true).text).count > counted.count + 560)
  }
}
