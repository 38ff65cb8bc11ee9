import Audit
import Budget
import ByteReading
import ImageModel
import PagesFormat
import Prediction
import Rendering
import TestSupport
import Testing

/// The causes of a regression, function by function.
@Suite struct RegressionCauseTests {
  private static func causes(
    from base: [PlacedFunction], to now: [PlacedFunction], figure: String = "pages.textPages"
  ) throws -> [String] {
    var (old, new) = (CheckedImage([figure: 1]), CheckedImage([figure: 9]))
    (old.functions, new.functions) = (base, now)
    let results = try BudgetCheck(
      Budget.of("\"metric\": \"\(figure)\", \"max\": 3"), images: [new], base: [old]
    ).results()
    return results[0].causes.map {
      "\($0.kind.rawValue) \($0.name) \($0.pages.map { "\(ShortNumber($0))" } ?? "-") \($0.bytes ?? 0)"
    }
  }

  private static let base = [
    PlacedFunction.at(0x1000, "main", ordered: true), .at(0x1100, "parse", ordered: true),
    .at(0x1200, "scan", ordered: true),
  ]

  @Test func namesWhatIsNewWithItsPages() throws {
    #expect(
      try Self.causes(from: Self.base, to: Self.base + [.at(0x8f00, "plugins", 0x2200)])
        == ["new plugins 4 8704"])
  }

  @Test func namesWhatTheOrderFileNoLongerPlaces() throws {
    var now = Self.base
    now[2] = .at(0x5000, "scan", ordered: false)
    #expect(
      try Self.causes(from: Self.base, to: now) == [
        "no longer ordered scan 0.67 0", "moved main 0.17 0", "moved parse 0.17 0",
      ])
  }

  @Test func namesWhatHasGrownOrMoved() throws {
    var now = Self.base
    now[1] = .at(0x1100, "parse", 0x1200, ordered: true)
    now[2] = .at(0x7000, "scan", ordered: true)
    #expect(
      try Self.causes(from: Self.base, to: now) == [
        "grown parse 1.17 4352", "moved scan 0.67 0", "moved main 0.17 0",
      ])
  }

  @Test func namesNothingThatBringsNothing() throws {
    var now = Self.base
    now[1] = .at(0x1800, "parse", 0x80, ordered: true)
    #expect(try Self.causes(from: Self.base, to: now).isEmpty)
    #expect(try Self.causes(from: [], to: Self.base, figure: "gen.untracedInitializers").isEmpty)
  }

  /// Rust's hashes and LLVM's numbers change with every build.
  @Test func functionsAreTheSameUnderTheNamesOfTheNextBuild() throws {
    #expect(
      try Self.causes(
        from: [.at(0x1000, "_ZN3app4main17h0123456789abcdefE"), .at(0x1100, "f.llvm.123")],
        to: [.at(0x1000, "_ZN3app4main17hfedcba9876543210E"), .at(0x1100, "f.llvm.456")]
      ).isEmpty)
  }

  /// If several functions have one name, an additional one is new.
  @Test func namesakesAreCounted() throws {
    #expect(
      try Self.causes(
        from: [.at(0x1000, "init"), .at(0x1100, "init")],
        to: [.at(0x1000, "init"), .at(0x1100, "init"), .at(0x9000, "init")])
        == ["new init 1 256"])
  }

  /// The sizes and addresses are those of a crafted document.
  @Test func hugeFunctionsTakeNoTime() throws {
    let huge = (0..<1000).map { PlacedFunction.at(.max - UInt64($0), "f\($0)", .max) }
    let causes = try Self.causes(from: Self.base, to: huge + [.at(0, "all", .max)])
    #expect(causes.count == CheckResult.mostCauses)
  }

  /// Without a layout, the measured pages name the functions.
  @Test func firstTouchesNameTheFunctionsOfMeasuredPages() throws {
    var images: [[CheckedImage]] = []
    for lines in [
      "",
      ", {\"access\": \"execute\", \"address\": \"0x9000\", \"function\": \"late\", \"pc\": null, \"segment\": \"text\", \"step\": 2}",
    ] {
      let text = """
        {"command": [], "exitStatus": 0, "images": [{"id": null, "pages": [{"access": "execute", "address": "0x2000", \
        "function": "main", "pc": null, "segment": "text", "step": 0}\(lines)], "path": "/app"}], "method": "preload", \
        "schema": "orderfile.pages/1"}
        """
      var added: [CheckedImage] = []
      try added.add(
        CommittedDocument(parsing: FileBytes(Array(text.utf8)), path: "p.json"), path: "p.json")
      images.append(added)
    }
    let results = try BudgetCheck(
      Budget.of(
        "\"metric\": \"pages.textPages\", \"pageSizeBytes\": 4096, \"againstBase\": \"+0\""),
      images: images[1], base: images[0]
    ).results()
    #expect(results[0].causes.map(\.name) == ["late"])
    #expect(results[0].causes[0].detail == "1 more page")
  }

  /// Returns an image of a `pages` document in which each of `functions` was the first on a page.
  private static func counted(_ functions: [String]) throws -> CheckedImage {
    let pages = functions.enumerated().map { index, name in
      """
      {"access": "execute", "address": "0x\(String((index + 1) * 4096, radix: 16))", "function": "\(name)", "pc": null, \
      "segment": "text", "step": \(index)}
      """
    }
    let text = """
      {"command": [], "exitStatus": 0, "images": [{"id": null, "pages": [\(pages.joined(separator: ", "))], \
      "path": "/app"}], "method": "preload", "schema": "orderfile.pages/1"}
      """
    var images: [CheckedImage] = []
    try images.add(
      CommittedDocument(parsing: FileBytes(Array(text.utf8)), path: "p.json"), path: "p.json")
    return images[0]
  }

  /// The layouts come from a trace of an older build, which lacks the new function. The `pages` document has the
  /// function.
  @Test(arguments: [
    (4096, ["new load_registry 5", "moved scan 0.67"]),
    (16384, ["new load_registry 1.25"]),
  ])
  func aFunctionThatTheTraceLacksComesBeforeSmallMoves(pageSize: Int, expected: [String]) throws {
    var old = try Self.counted(["main", "_ZN3app5setup17h0123456789abcdefE"])
    var new = try Self.counted(
      ["main", "_ZN3app5setup17hfedcba9876543210E"] + Array(repeating: "load_registry", count: 5))
    (old.functions, new.functions) = (Self.base, Self.base)
    new.functions?[2] = .at(0x3000, "scan", ordered: true)
    let results = try BudgetCheck(
      Budget.of(
        "\"metric\": \"pages.textPages\", \"pageSizeBytes\": \(pageSize), \"againstBase\": \"+0\""),
      images: [new], base: [old]
    ).results()
    #expect(results[0].outcome == .fail)
    let found = results[0].causes.map {
      "\($0.kind.rawValue) \($0.name) \($0.pages.map { "\(ShortNumber($0))" } ?? "-")"
    }
    #expect(found.starts(with: expected), "\(found)")
    #expect(!found.contains { $0.contains("setup") })
  }

  /// A figure that is no worse than in the base has no causes, and does not fail.
  @Test(arguments: [(40.0, 39.0), (40.0, 40.0), (40.0, 41.0)])
  func aFigureThatIsNoWorseHasNoCauses(base: Double, now: Double) throws {
    var (old, new) = (
      CheckedImage(["pages.textPages": base]), CheckedImage(["pages.textPages": now])
    )
    old.figures += CheckedImage(["diff.stale": base / 100]).figures
    new.figures += CheckedImage(["diff.stale": now / 100]).figures
    (old.functions, new.functions) = (Self.base, Self.base + [.at(0x8f00, "plugins", 0x2200)])
    new.unorderable = [NameWithReason(name: "gone", reason: "no such symbol")]
    let results = try BudgetCheck(
      Budget.of(
        "\"metric\": \"pages.textPages\", \"max\": 30",
        "\"metric\": \"diff.stale\", \"max\": \"3%\""),
      images: [new], base: [old]
    ).results()
    let outcome: CheckOutcome = now > base ? .fail : .alreadyInBase
    #expect(results.map(\.outcome) == [outcome, outcome])
    #expect(results[0].causes.map(\.name) == (now > base ? ["plugins"] : []))
    #expect(results[1].causes.map(\.name) == (now > base ? ["gone"] : []))
  }

  @Test func addedLibrariesAndInitializersAreNamed() throws {
    var (old, new) = (
      CheckedImage(["audit.libraries": 1, "audit.initializers": 0]),
      CheckedImage(["audit.libraries": 2, "audit.initializers": 1])
    )
    old.libraries = [AuditFigures.Library(name: "libc.so.6")]
    new.libraries = (old.libraries ?? []) + [AuditFigures.Library(name: "libz.so.1")]
    (old.initializers, new.initializers) = ([], ["register_all"])
    let results = try BudgetCheck(
      Budget.of(
        "\"metric\": \"audit.libraries\", \"max\": 1",
        "\"metric\": \"audit.initializers\", \"againstBase\": \"+0\""), images: [new], base: [old]
    ).results()
    #expect(results.map { $0.causes.map(\.name) } == [["libz.so.1"], ["register_all"]])
  }
}
