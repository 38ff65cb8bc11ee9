import Addresses
import Budget
import FaultEstimate
import Foundation
import ImageModel
import Ordering
import PagesFormat
import Prediction
import TestSupport
import Testing

/// Two builds of 16 functions of 1 KiB. A launch uses four of them, which are side by side in the second build.
@Suite struct LayoutDiffTests {
  private let builds: SampleBuilds
  init() throws {
    builds = try SampleBuilds.ofOneProgram()
    try builds.write(SampleBuilds.used.joined(separator: "\n"), "app.order")
  }

  private func options(
    _ before: String = "before", _ after: String = "after", traces: [String] = ["app.oftrace"],
    order: String? = nil
  ) -> LayoutDiff.Options {
    var options = LayoutDiff.Options(before: builds.path(before), after: builds.path(after))
    options.launches.traces = traces.map(builds.path)
    options.launches.order = order.map(builds.path)
    options.launches.pageSize = .fourKibibytes
    return options
  }

  private func document(_ options: LayoutDiff.Options) throws -> DiffDocument {
    try LayoutDiff(options).document
  }

  @Test func pagesOfStartupFunctionsAreSavedWhereTheyLieTogether() throws {
    let pages = try document(options()).prediction.pages
    #expect(pages == BeforeAfter(before: 4, after: 1))
    let same = try document(options("before", "before")).prediction.pages
    #expect(same == BeforeAfter(before: 4, after: 4))
  }

  /// A linker can follow an order that lacks a startup function: the order then covers only a part.
  @Test func theCoverageCountsStartupFunctionsThatTheOrderLists() throws {
    let all = try #require(try document(options(order: "app.order")).compliance.coverage)
    #expect(all.covered == all.functions && all.functions == SampleBuilds.used.count)
    try builds.write(SampleBuilds.used.dropLast().joined(separator: "\n"), "part.order")
    let document = try document(options(order: "part.order"))
    let part = try #require(document.compliance.coverage)
    let order = try #require(document.compliance.order)
    #expect(order.inOrder == order.entries, "the linker followed the order")
    #expect(
      part.covered == part.functions - 1 && part.coveredBytes == part.bytes - SampleBuilds.size)
    let text = DiffText(document).text
    #expect(
      text.contains("  3 of 4 startup functions (75.0%) in order, with 75.0% of the bytes\n"))
    let metrics = try CommittedDocument(judging: .diff(document)).images[0].sets[0].metrics
    #expect(metrics.first { $0.name == "covered" }?.value == 0.75)
    #expect(metrics.first { $0.name == "coveredBytes" }?.value == 0.75)
    #expect(try self.document(options()).compliance.coverage == nil)
  }

  @Test func aDocumentKeepsTheKindsOfWarnings() throws {
    try builds.writeTrace("two", of: [("libb.so", ["f1", "f2"]), ("app.rec", ["f3"])])
    let warnings = try document(options(traces: ["two"])).warnings
    let unused = warnings.filter { $0.kind == .unusedHits }
    #expect(unused.count == 1 && unused[0].context.isEmpty)
  }

  @Test func functionsThatTheRecordedBuildLacksAreCountedApart() throws {
    try builds.writeImage(SampleBuilds.functions + ["new1", "new2"], "after", id: [0xaf, 0x7e])
    let new = try #require(try document(options()).newCode)
    #expect(new.reference == .recordedImage && new.before?.functions == 0)
    #expect(new.after?.functions == 2 && new.after?.bytes == 2 * SampleBuilds.size)
    #expect(new.after?.largest == ["new1", "new2"])
    #expect(try document(options()).warnings.contains { $0.message.contains("lacks 2 functions") })
    try FileManager.default.removeItem(atPath: builds.path("app.rec"))
    let gone = try #require(try document(options()).newCode)
    #expect(gone.reference == .otherLayout && gone.before == nil && gone.after == new.after)
    #expect(try document(options(traces: [], order: "app.order")).newCode == nil)
  }

  @Test func whyTheRecordableShareIsUnknownIsSaid() throws {
    #expect(
      try document(options(traces: [], order: "app.order")).recordableUnknown == .noTrace)
    #expect(try document(options()).recordableUnknown == .notShownByImage)
    try FileManager.default.removeItem(atPath: builds.path("app.rec"))
    #expect(try document(options()).recordableUnknown == .recordedImageGone)
  }

  @Test func ofSeveralLaunchesEachIsPredictedByItself() throws {
    try builds.writeTrace("one", of: "app.rec", used: ["f0", "f1"])
    try builds.writeTrace("all", of: "app.rec", used: SampleBuilds.functions)
    let several = try document(options(traces: ["one", "all", "app.oftrace"]))
    // The traces are in the order of their paths.
    #expect(
      several.prediction.traces.map(\.path) == ["all", "app.oftrace", "one"].map(builds.path))
    // The layout after is f12 f0 f8 f4 f1 ..., so f1 is on the second page.
    #expect(several.prediction.traces.map(\.pages.before) == [4, 4, 1])
    #expect(several.prediction.traces.map(\.pages.after) == [4, 1, 2])
    #expect(several.prediction.meanOfTraces == BeforeAfter(before: 3, after: Double(7) / 3))
    #expect(several.prediction.worstTracesFirst.first?.path == builds.path("all"))
    let single = try document(options())
    #expect(single.prediction.traces.isEmpty)
    for (number, trace) in ["all", "app.oftrace", "one"].enumerated() {
      #expect(
        try document(options(traces: [trace])).prediction.pages
          == several.prediction.traces[number].pages)
    }
  }

  @Test func anOrderFileTellsTheStartupFunctionsWhereThereIsNoTrace() throws {
    let document = try document(options(traces: [], order: "app.order"))
    #expect(document.prediction.pages.after == 1)
    #expect(document.startupSource == builds.path("app.order"))
  }

  @Test func theOrderOfTheLinkedImageIsHeldAgainstTheOrderFile() throws {
    let followed = try document(options(order: "app.order"))
    #expect(followed.compliance.order?.inOrder == 4)
    #expect(followed.warnings.isEmpty)
    try builds.write("f12\nf8\nf4\nf0\n", "falling.order")
    let ignored = try document(options("after", "before", order: "falling.order"))
    #expect((ignored.compliance.order?.inOrder ?? 4) < 2)
    #expect(
      ignored.warnings.contains { $0.message.contains("the linker did not follow the order file") }
    )
  }

  @Test(arguments: ["word\n", "some lines of prose\nand more of it\n", "g0\ng1\n"])
  func whatIsNoOrderFileOfTheProgramIsRefused(_ text: String) throws {
    try builds.write(text, "text")
    for traces in [["app.oftrace"], []] {
      #expect(diagnostic { _ = try document(options(traces: traces, order: "text")) } != nil)
    }
  }

  /// 60 functions of 1 KiB fill 15 pages. A launch uses every fourth function; together they fill four pages.
  @Test func whatMayHelpIsSuggested() throws {
    let functions = (0..<60).map { "f\($0)" }
    let used = functions.filter { (Int($0.dropFirst()) ?? 0) % 4 == 0 }
    try builds.writeImage(functions, "scattered", id: [0x5c])
    try builds.writeImage(functions, "app.rec", id: [0x9f, 0x3a])
    try builds.writeTrace("wide", of: "app.rec", functions: functions, used: used)
    // The linker followed this order file, which has two of the 15 functions.
    try builds.write("f0\nf4\n", "partial.order")
    let gap = try document(
      options("scattered", "scattered", traces: ["wide"], order: "partial.order"))
    #expect(gap.prediction.pages.after == 15 && gap.after.floorPages == 4)
    #expect(gap.warnings.map { $0.hint?.contains("'orderfile refine'") } == [true])
    let plain = try document(options("scattered", "scattered", traces: ["wide"]))
    #expect(plain.warnings.isEmpty, "without an order file nothing was ordered")

    let renamed = functions.map { $0 == "f0" ? "g0" : $0 }
    try builds.writeImage(renamed, "renamed", id: [0x4e])
    let old = try document(options("scattered", "renamed", traces: ["wide"]))
    #expect(
      old.warnings.contains {
        $0.message.hasSuffix("renamed: this build lacks 1 of 15 startup functions")
          && $0.hint?.contains("record --breakpoints") ?? false
      })
  }

  @Test func aFunctionThatNeitherBuildHasIsMissing() throws {
    try builds.writeTrace(
      "more", of: "app.rec", functions: SampleBuilds.functions + ["gone"],
      used: SampleBuilds.used + ["gone"])
    let document = try document(options(traces: ["more"]))
    #expect(document.missing.map { "\($0.name)" } == ["gone"])
    #expect(
      document.missing.map(\.reason) == ["renamed, inlined, merged or removed in the release build"]
    )
  }

  /// 16 functions of 1 KiB fill four pages. A function without a known place may be on any of them.
  @Test func whatAnOldTraceNamesOtherwiseStillCounts() throws {
    let renamed = SampleBuilds.functions.map { ["f0", "f8"].contains($0) ? "new_\($0)" : $0 }
    try builds.writeImage(renamed, "renamed", id: [0x4e])
    let document = try document(options("before", "renamed"))
    #expect(document.prediction.pages == BeforeAfter(before: 4, after: 2))
    #expect(document.prediction.pagesAtMost == BeforeAfter(before: 4, after: 4))
    #expect(document.presence == Presence(all: 4, before: 4, after: 2))
    #expect(
      document.missing.map(\.reason) == [
        "not in the layout after: renamed, inlined, merged or removed in the release build",
        "not in the layout after: renamed, inlined, merged or removed in the release build",
      ])
    #expect(document.prediction.savedPages == 0...2)

    func failures(_ limits: String...) throws -> [Diagnostic] {
      try CommandLimits(parsing: limits, of: .diff).failures(of: .diff(document), path: "renamed")
    }
    #expect(try failures("diff.predictedPagesAtMost<=4", "diff.present>=50%").isEmpty)
    let failures = try failures("diff.present>=50.1%", "diff.predictedPagesAtMost<=3")
    #expect(
      failures.map(\.message) == [
        "diff.present of renamed: expected at least 50.1%, found 50%",
        "diff.predictedPagesAtMost of renamed, 4 KiB pages: expected at most 3, found 4",
      ])
    #expect(failures.allSatisfy { $0.severity == .checkFailed && $0.hint != nil })
  }

  /// Only the recorded image itself shows how much of its code could be recorded.
  @Test func aRecordedImageThatIsGoneIsWarnedOf() throws {
    try builds.writeTrace("gone", of: "app.rec", used: SampleBuilds.used, id: [0x60])
    for (trace, isGone) in [("gone", true), ("app.oftrace", false)] {
      let document = try document(options(traces: [trace]))
      let warnings = document.warnings.filter {
        $0.message.contains("the recorded image is no longer at this path")
      }
      #expect(warnings.count == (isGone ? 1 : 0))
      #expect(document.recordable == nil)
    }
  }

  @Test func aFunctionOfTwoSizesCountsOnce() throws {
    try builds.writeTrace(
      "grown", of: [("app.rec", SampleBuilds.used)], size: SampleBuilds.size + 4, id: [0x60])
    let one = try document(options())
    let two = try document(options(traces: ["app.oftrace", "grown"]))
    #expect(two.presence == Presence(all: 4, before: 4, after: 4))
    #expect(two.prediction.faultCurveArea == one.prediction.faultCurveArea)
  }

  /// The code is outside of all functions. No layout shows where it lies, even if the layout is of one of the two
  /// images.
  @Test(arguments: [([0x33] as [UInt8], true), ([0xbe, 0xf0], false)])
  func codeWithoutANameIsMissingOnceForEachPlace(id: [UInt8], isHinted: Bool) throws {
    try builds.writeTrace(
      "unnamed", of: [("app.rec", SampleBuilds.used)], id: id,
      unnamed: [(nil, 0x6005), (nil, 0x6105), (nil, 0x6105), (0x6200, 0x6205)])
    let document = try document(options(traces: ["unnamed"]))
    #expect(document.presence == Presence(all: 7, before: 4, after: 4))
    let warning = document.warnings.first { $0.message.contains("without a name") }
    #expect(warning?.message == "3 startup functions without a name cannot be found in the layouts")
    #expect((warning?.hint != nil) == isHinted)
  }

  /// No other build has the merged bodies of the recorded build. That does not make the other build another program.
  @Test func whatOnlyTheRecordedBuildCanHaveMakesNoOtherProgram() throws {
    let merged = (0..<8).map { "$s1a2f\($0)yyFTm" }
    try builds.writeTrace(
      "merged", of: "app.rec", functions: SampleBuilds.functions + merged,
      used: SampleBuilds.used + merged)
    let document = try document(options(traces: ["merged"]))
    #expect(document.presence == Presence(all: 4, before: 4, after: 4))
  }

  @Test func launchesThatUseTheSameChangeNothing() throws {
    try builds.writeTrace("more", of: "app.rec", used: SampleBuilds.used.reversed())
    let one = try document(options())
    var many = try document(options(traces: ["app.oftrace", "app.oftrace", "more", "more"]))
    #expect(many.startupSource == "4 traces")
    many.startupSource = one.startupSource
    #expect(
      many.prediction.traces.map(\.pages)
        == many.prediction.traces.map { _ in one.prediction.pages })
    many.prediction.traces = []
    (many.inputs, many.nextSteps) = (one.inputs, one.nextSteps)
    #expect(many == one)
  }

  @Test func theMeanCountsEachLaunchAsOftenAsItIsWeighted() throws {
    try builds.writeTrace("short", of: "app.rec", used: ["f0"])
    var options = options()
    options.launches.weighted = ["3," + builds.path("short")]
    let traced = try document(options)
    #expect(traced.prediction.traces.map(\.launches) == [1, 3])
    // Layout before: one launch with four pages, and three launches with one page. After: one page for each launch.
    #expect(traced.prediction.meanOfTraces == BeforeAfter(before: 1.75, after: 1))
    #expect(DiffText(traced).text.contains("MEAN of 4 launches"))

    var merge = LaunchMerge.Options(paths: options.launches.traces)
    merge.weighted = options.launches.weighted
    try builds.workshop.write(try LaunchMerge(merge).bytes, "profile")
    let profiled = try document(self.options(traces: ["profile"]))
    #expect(profiled.prediction.meanOfTraces == traced.prediction.meanOfTraces)
    #expect(profiled.prediction.traces.map(\.launches).sorted() == [1, 3])
  }

  @Test func whatIsInOtherImagesIsWarnedOf() throws {
    try builds.writeTrace("two", of: [("libb.so", ["f1", "f2"]), ("app.rec", SampleBuilds.used)])
    let document = try document(options(traces: ["two"]))
    #expect(document.startupSource == "1 trace")
    #expect(
      document.warnings.map(\.message) == [
        builds.path("two") + ": 2 of 6 hits are not used: 2 in 'libb.so' (2 functions)"
      ])
  }

  @Test func damagedPartsOfAnImageThatItsLayoutDoesNotNeedAreWarnings() throws {
    var writer = ELFWriter()
    writer.addText(size: 0x4000)
    writer.addSymbols(
      SampleBuilds.functions.enumerated().map {
        .init($0.element, value: 0x1000 + 0x400 * UInt64($0.offset), size: 0x400)
      })
    var array = ELFWriter.Section(".fini_array", type: 15, flags: 3, address: 0x9000)
    array.statedSize = 1 << 20
    writer.add(array)
    var frames = ELFWriter.Section(".eh_frame", flags: 2, address: 0xa000)
    frames.statedSize = 1 << 20
    writer.add(frames)
    writer.addBuildID([1])
    try builds.workshop.write(writer.bytes(), "damaged")
    let document = try document(options("damaged", "after"))
    #expect(document.prediction.pages == BeforeAfter(before: 4, after: 1))
    #expect(
      document.warnings.map(\.message).map { $0.split(separator: ":").dropFirst().first ?? "" } == [
        " functions without a symbol left out", " code references of both layouts left out",
      ])
  }

  @Test func anotherProgramIsRefusedOnEitherSide() throws {
    for (before, after) in [("other", "after"), ("before", "other")] {
      let error = diagnostic { _ = try document(options(before, after)) }
      #expect(error?.severity == .mismatch)
      #expect(error?.context == [builds.path("other")])
    }
    let error = diagnostic { _ = try document(options("other", "other")) }
    #expect(error?.message == "none of 4 startup functions was found in the given layouts")
  }

  @Test func anOrderFileWithoutNamesTellsNothing() throws {
    try builds.write("# nothing\n", "empty.order")
    let error = diagnostic { _ = try document(options(traces: [], order: "empty.order")) }
    #expect(error?.message == "missing entries: no line names a function")
  }

  /// Writes the document that `orderfile pages` writes for the build after.
  private func writePages(
    _ id: ImageID, _ name: String, status: Int = 0, architecture: Architecture = .x8664
  ) throws {
    let pages = [0x1000, 0x2000].enumerated().map { step, address in
      PagesDocument.Page(
        access: .execute, address: StatedAddress(rawValue: UInt64(address)), segment: .text,
        function: nil, instruction: StatedAddress(rawValue: UInt64(address)),
        instructionImage: nil, step: step)
    }
    let document = PagesDocument(
      command: ["./after"], end: .exited(status), method: "ptrace",
      images: [
        PagesDocument.Image(
          ImageReference(
            path: builds.path("after"), architecture: architecture, id: id.description),
          pages: pages,
          filePages: [])
      ])
    var bytes: [UInt8] = []
    document.json { bytes += $0 }
    try builds.workshop.write(bytes, name)
  }

  @Test func measuredPagesStandBesideThePredictedOnes() throws {
    var options = options()
    try writePages(ImageID(kind: .buildID, bytes: [0xaf, 0x7e]), "pages.json", status: 3)
    options.measuredAfter = builds.path("pages.json")
    let document = try document(options)
    #expect(document.measurement.pages?.before == nil)
    #expect(document.measurement.pages?.after?.source.command == ["./after"])
    #expect(
      document.warnings.map(\.message) == [
        "\(builds.path("pages.json")): the measured launch ended with exit status 3"
      ])
  }

  @Test func aMeasurementOfAnotherArchitectureIsRefused() throws {
    var options = options()
    try writePages(
      ImageID(kind: .buildID, bytes: [0xaf, 0x7e]), "pages.json", architecture: .arm64)
    options.measuredAfter = builds.path("pages.json")
    let error = diagnostic { _ = try document(options) }
    #expect(error?.severity == .mismatch)
    #expect(
      error?.message.hasSuffix("is of another architecture: expected x86_64, found arm64") ?? false,
      "\(String(describing: error))")
  }

  @Test func aMeasurementOfAnotherBuildIsRefused() throws {
    var options = options()
    try writePages(ImageID(kind: .buildID, bytes: [1, 2]), "pages.json")
    options.measuredAfter = builds.path("pages.json")
    let error = diagnostic { _ = try document(options) }
    #expect(error?.severity == .mismatch)
    #expect(error?.message.contains("found 0102") ?? false, "\(String(describing: error))")
  }
}
