import Addresses
import FaultEstimate
import Foundation
import ImageModel
import LaunchMeasurement
import ModelSamples
import PagesFormat
import Prediction
import Recording
import Rendering
import TestSupport
import Testing

@Suite struct DiffDocumentTests {
  static let before = sampleLayout([
    ("_init", 0x1000, 27), ("main", 0x3000, 100), ("parse", 0x9000, 5000), ("usage", 0x2_0000, 64),
    ("gone", 0x2_8000, 10), ("odd\nname \u{1b}[1m", 0x3_0000, 12),
  ])
  static let after = sampleLayout([
    ("_init", 0x1000, 27), ("main", 0x2000, 100), ("parse", 0x2070, 5000), ("usage", 0x3400, 64),
    ("odd\nname \u{1b}[1m", 0x3440, 12), ("new", 0x3_0000, 16),
  ])
  static let startup: [SymbolName] = [
    "_init", "main", "parse", "usage", "gone", "odd\nname \u{1b}[1m", "new", "nowhere",
  ]

  static func estimates(
    _ before: Layout, _ after: Layout, startup: [SymbolName] = DiffDocumentTests.startup,
    pageSize: PageSize = .fourKibibytes, facts: [LaunchFacts]? = nil
  ) -> BeforeAfter<LayoutEstimate> {
    let layouts = [before, after]
    let estimates = [MatchedFunction](named: startup, in: layouts)
      .estimates(of: layouts, pageSize: pageSize, facts: facts)
    return BeforeAfter(before: estimates[0], after: estimates[1])
  }

  static func document(_ name: String) -> DiffDocument {
    switch name {
    case "traced":
      var document = DiffDocument(
        before: ImageReference(path: "base.map", architecture: .x8664),
        after: ImageReference(path: "ordered.map", architecture: .x8664),
        startupSource: "12 traces",
        estimates: estimates(before, after))
      document.prediction.traces = (0..<12).map { index in
        DiffDocument.Trace(
          path: "launch\(index)\u{1b}.oftrace",
          pages: BeforeAfter(before: 7 + index % 3, after: 4 + index % 5))
      }
      return document
    case "with-order":
      var document = DiffDocument(
        before: ImageReference(path: "base.map"), after: ImageReference(path: "ordered.map"),
        startupSource: "app.order",
        estimates: estimates(before, after),
        cost: FaultCost(milliseconds: 0.25, source: "--cost-ms"),
        order: OrderCompliance(
          entries: 8, dataEntries: 2, present: 6, inOrder: 5,
          firstDeviation: "'usage' stands before 'parse'",
          unorderable: [NameWithReason(name: "_init", reason: "not in a section of its own")]))
      document.addWarnings([
        Diagnostic(
          "line 3: no such symbol: gone", context: ["app.order"],
          hint: "record again with this build")
      ])
      return document
    case "a-loss":
      return DiffDocument(
        before: ImageReference(path: "ordered.map"), after: ImageReference(path: "base.map"),
        startupSource: "1 trace",
        estimates: estimates(after, before))
    case "macho":
      return DiffDocument(
        before: ImageReference(path: "App-before-LinkMap.txt"),
        after: ImageReference(path: "App-LinkMap.txt"),
        startupSource: "2 traces", estimates: machOEstimates, cost: .published(for: .machO))
    case "macho-measured":
      var document = Self.document("macho")
      document.measurement.pageIns = PageInMeasurement(
        before: recording("before.xml", [61, 12, 4, 2]), after: recording("after.xml", [9, 12, 4]))
      return document
    case "macho-measured-after":
      var document = Self.document("macho")
      document.measurement.pageIns = PageInMeasurement(
        before: nil, after: recording("after.xml", [9, 12, 4]))
      return document
    case "elf-measured":
      return measured
    default:  // "nothing-found"
      return DiffDocument(
        before: ImageReference(path: "a.map"), after: ImageReference(path: "b.map"),
        startupSource: "1 trace",
        estimates: estimates(sampleLayout([]), sampleLayout([])))
    }
  }

  static let names = [
    "traced", "with-order", "a-loss", "nothing-found", "macho", "macho-measured",
    "macho-measured-after", "elf-measured",
  ]

  /// An ELF image with facts from its code, and a measured launch of each layout.
  static var measured: DiffDocument {
    func facts(_ main: UInt64) -> LaunchFacts {
      var facts = LaunchFacts()
      facts.executableMappings = [
        FileMapping(
          range: AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x4_0000),
          offset: FileOffset(rawValue: 0x1000))
      ]
      facts.references = [
        LaunchFacts.Reference(
          site: StatedAddress(rawValue: main),
          touch: LaunchFacts.Touch(
            .constant, AddressRange(start: StatedAddress(rawValue: 0x3_8000), size: 1)))
      ]
      return facts
    }
    let estimates = estimates(before, after, facts: [facts(0x3000), facts(0x2000)])
    func side(
      _ path: String, _ estimate: LayoutEstimate, _ layout: Layout, _ addresses: [UInt64]
    ) -> MeasuredPages.Side {
      let touches = addresses.enumerated().map { step, address in
        PageTouch(
          access: .execute, page: StatedAddress(rawValue: address & ~0xfff),
          instruction: StatedAddress(rawValue: address), step: step)
      }
      let read = PageTouch(
        access: .read, page: StatedAddress(rawValue: 0x3_8000), instruction: nil, step: 99)
      return MeasuredPages.Side(
        MeasuredPages.Source(path: path, method: "preload", command: ["./app", "a b"]),
        account: PageAccount(
          of: estimate.faults, in: layout, measured: touches + [read],
          knowledge: PageAccount.Knowledge(recordsEveryFunction: false), pageSize: .fourKibibytes),
        image: PagesDocument.Image(ImageReference(path: path), pages: [], filePages: []))
    }
    var document = DiffDocument(
      before: ImageReference(path: "base", architecture: .x8664, id: "9f3a"),
      after: ImageReference(path: "ordered", architecture: .x8664, id: "0b57"),
      startupSource: "1 trace", estimates: estimates)
    document.measurement.pages = MeasuredPages(
      before: side("before.json", estimates.before, before, [0x1000, 0x3000, 0x9000, 0x3_4000]),
      after: side("after.json", estimates.after, after, [0x1000, 0x2000, 0x2070, 0x3000]))
    return document
  }

  /// Returns a recording with the given numbers of page-ins in the four places, of 150 microseconds each.
  static func recording(_ path: String, _ pages: [Int]) -> PageInMeasurement.Recording {
    let names: [SymbolName] = ["__TEXT,__text", "__TEXT,__cstring", "__DATA,__data", "__LINKEDIT"]
    let places = names.enumerated().map { place in
      (
        name: place.element,
        range: AddressRange(
          start: StatedAddress(rawValue: UInt64(place.offset) << 32), size: 1 << 30)
      )
    }
    let faults = pages.enumerated().flatMap { place in
      (0..<place.element).map {
        PageInFault(
          address: StatedAddress(rawValue: UInt64(place.offset) << 32 + UInt64($0) << 14),
          durationNanoseconds: 150_000)
      }
    }
    return PageInMeasurement.Recording(
      paths: [path], process: "App (581)",
      pageIns: MeasuredPageIns(faults, in: places, pageSize: .sixteenKibibytes))
  }

  /// Sixty functions of 256 bytes. Before, each is on a page of 16 KiB of its own; after, they are side by side.
  static var machOEstimates: BeforeAfter<LayoutEstimate> {
    let names = (0..<60).map { SymbolName("_function\($0)") }
    func layout(distance: UInt64) -> Layout {
      sampleMachOLayout(
        names.enumerated().map {
          // Functions that follow each other in time are not neighbors in the first layout.
          let place = distance > 256 ? UInt64($0.offset * 23 % 60) : UInt64($0.offset)
          return ($0.element, 0x1_0000_4000 + place * distance, 256)
        })
    }
    return estimates(
      layout(distance: 0x4000), layout(distance: 256), startup: names,
      pageSize: .sixteenKibibytes)
  }

  @Test(arguments: names) func textIsAsRecorded(_ name: String) throws {
    let limits = DiffText.Limits(listsPages: true)
    try expectGolden(
      DiffText(Self.document(name), limits: limits).text, "reporting/diff/\(name)/expected.txt")
  }

  @Test(arguments: names) func jsonIsAsRecorded(_ name: String) throws {
    let json = String(decoding: Self.document(name).json(), as: UTF8.self)
    try expectGolden(json, "reporting/diff/\(name)/expected.json")
  }

  /// Returns the number at a dotted path.
  static func number(_ path: String, in value: [String: Any]) -> Int? {
    var value: Any? = value
    for key in path.split(separator: ".") { value = (value as? [String: Any])?[String(key)] }
    return value as? Int
  }

  @Test(arguments: names) func jsonParsesAndItsRowsSumUpToItsTotals(_ name: String) throws {
    let value = try parsedJSON(Self.document(name).json())
    #expect(value["schema"] as? String == DiffDocument.schema)
    let sections = try #require(value["sections"] as? [[String: Any]])
    for (key, rowKey) in [
      ("startupFunctions", "startupFunctions"), ("startupBytes", "startupBytes"),
      ("floorPages", "floorPages"), ("textPages.before", "pages.before"),
      ("textPages.after", "pages.after"), ("textPages.saved", "pages.saved"),
      ("windows64k.before", "windows64k.before"), ("windows64k.after", "windows64k.after"),
      ("windows64k.saved", "windows64k.saved"),
    ] {
      let total = try #require(Self.number(key, in: value), "\(key)")
      let rows = sections.compactMap { Self.number(rowKey, in: $0) }
      #expect(rows.count == sections.count, "\(rowKey) is in each row")
      #expect(rows.reduce(0, +) == total, "\(key)")
    }
  }

  @Test func readsArePredictedForMachOImagesOnly() throws {
    let linux = try parsedJSON(Self.document("traced").json())
    #expect(linux["xnuReads"] == nil)
    #expect(DiffText(Self.document("traced")).text.contains("64Ki WINDOWS"))
    let document = Self.document("macho")
    let reads = try #require(
      try parsedJSON(document.json())["xnuReads"] as? [[String: Any]])
    #expect(reads.map { $0["kernel"] as? String } == ["iOS", "macOS"])
    for kernel in reads {
      for key in ["reads", "bytesRead"] {
        let before = try #require(Self.number("\(key).before", in: kernel))
        let after = try #require(Self.number("\(key).after", in: kernel))
        #expect(Self.number("\(key).saved", in: kernel) == before - after)
        #expect(after < before)
      }
    }
    let text = DiffText(document).text
    #expect(!text.contains("WINDOWS"))
    #expect(text.contains("\npredicted reads"))
    #expect(text.contains("__TEXT,__stubs (whole)"))
  }

  @Test func measuredSectionsSumUpToWhatEachRecordingHas() throws {
    let value = try parsedJSON(Self.document("macho-measured").json())
    let measured = try #require(value["measuredPageIns"] as? [String: Any])
    #expect(measured["provenance"] as? String == "measured")
    let sections = try #require(measured["sections"] as? [[String: Any]])
    for side in ["before", "after"] {
      let rows = sections.compactMap { Self.number("pages.\(side)", in: $0) }
      #expect(rows.count == sections.count)
      #expect(rows.reduce(0, +) == Self.number("\(side).pages", in: measured))
    }
    #expect(try parsedJSON(Self.document("macho").json())["measuredPageIns"] == nil)
    let oneSided = try parsedJSON(Self.document("macho-measured-after").json())
    #expect(Self.number("measuredPageIns.after.pages", in: oneSided) == 25)
    #expect(Self.number("measuredPageIns.before.pages", in: oneSided) == nil)
  }

  @Test func aRecordingWithoutPagesIsDoubted() {
    let warnings = PageInMeasurement(
      before: Self.recording("before.xml", [3]), after: Self.recording("after.xml", [])
    ).warnings
    #expect(warnings.map(\.context) == [["after.xml"]])
  }

  /// A reader that looks only at the numbers finds no predicted one.
  @Test(arguments: ["traced", "macho", "elf-measured"])
  func whereNothingIsPredictedNoFigureIsAtItsUsualPlace(_ name: String) throws {
    var document = Self.document(name)
    let usual = try parsedJSON(document.json())
    document.refusal = "no prediction: too little"
    let refused = try parsedJSON(document.json())
    let only = try #require(refused["recordedOnly"] as? [String: Any])
    for key in usual.keys {
      let isEither = (refused[key] == nil) != (only[key] == nil)
      #expect(isEither || ["after", "before", "provenance"].contains(key), "\(key)")
    }
    for key in ["textPages", "sections", "floorPages", "provenance"] {
      #expect(refused[key] == nil)
    }
    for side in ["after", "before"] {
      let layout = try #require(refused[side] as? [String: Any])
      #expect(Set(layout.keys).subtracting(["architecture", "id"]) == ["path"])
    }
    #expect(!DiffText(document).text.contains("TOTAL"))
  }

  @Test func figuresThatCountOnlyWhatALayoutHasAreNamed() throws {
    let range = try parsedJSON(Self.document("traced").json())
    #expect(
      range["lowerEnds"] as? [String] == [
        "faultCurveArea", "perTrace", "sections", "textPages", "windows64k",
      ])
    let elf = try parsedJSON(Self.document("elf-measured").json())
    #expect((elf["lowerEnds"] as? [String])?.contains("linuxFaults") ?? false)
    let whole = try parsedJSON(Self.document("macho").json())
    #expect(whole["lowerEnds"] == nil)
  }

  @Test func theOrderIsAbsentWhenNoneWasGiven() throws {
    let without = try parsedJSON(Self.document("traced").json())
    #expect(without["order"] == nil)
    let with = try parsedJSON(Self.document("with-order").json())
    #expect(Self.number("order.inOrder", in: with) == 5)
  }

  @Test func foldedSectionsStillSumUpToTheTotal() throws {
    var limits = DiffText.Limits()
    limits.sections = 0
    let lines = DiffText(Self.document("traced"), limits: limits).text.split(separator: "\n")
    let folded = try #require(lines.first { $0.hasSuffix("  2 other sections") })
    let total = try #require(lines.first { $0.contains("  TOTAL ") })
    let numbers = folded.dropLast("2 other sections".count)
    #expect(total.hasPrefix(numbers))
  }

  @Test func listsOfNamesCanBeCutAndDemangled() {
    let document = Self.document("traced")
    let cut = DiffText(document, limits: .init(names: 1), names: upperCase).text
    #expect(cut.contains("  GONE: not in the layout after\n  and 2 more\n"))
    let whole = DiffText(document, limits: .init(names: nil)).text
    #expect(whole.contains("  nowhere: in neither layout\n"))
  }

  @Test(arguments: names) func eachLineWithPagesSaysPredictedOrMeasured(_ name: String) {
    let lines = DiffText(Self.document(name)).text.split(separator: "\n")
    for words in [[" saving: ", " loss: "], ["page-steps"], ["TOTAL"], ["pages that hold"]] {
      let found = lines.filter { line in words.contains { line.contains($0) } }
      let measured = found.filter { $0.contains("measured") }
      let predicted = found.filter { $0.contains("predicted") }
      #expect(predicted.count == 1, "\(words)")
      #expect(found.count == predicted.count + measured.count, "\(words)")
      #expect(measured.isEmpty || name.hasPrefix("macho-measured"), "\(words)")
    }
  }
}
