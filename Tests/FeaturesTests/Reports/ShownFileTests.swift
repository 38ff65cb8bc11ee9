import ImageModel
import Reports
import TestSupport
import Testing

@Suite struct ShownFileTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  @Test func aTraceIsShownWithTheNamesOfItsHits() throws {
    let shown = try ShownFile(path: builds.path("app.oftrace"))
    guard case .trace(let report) = shown.contents else {
      Issue.record("\(shown.contents)")
      return
    }
    #expect(report.hitNames.map { "\($0.first ?? SymbolName(""))" } == SampleBuilds.used)
    #expect(shown.warnings.isEmpty)
  }

  @Test func anUnsealedTraceGetsItsNamesFromTheImageOnlyIfThatIsTheRecordedOne() throws {
    try builds.writeTrace("open", of: "app.rec", used: ["f3"], isSealed: false)
    #expect(try hitNames(ShownFile(path: builds.path("open"))) == [[SymbolName("f3")]])
    try builds.writeTrace("open", of: "after", used: ["f3"], isSealed: false)
    let shown = try ShownFile(path: builds.path("open"))
    #expect(hitNames(shown) == [[]])
    #expect(shown.warnings.map(\.severity) == [.mismatch])
  }

  /// Returns the names of the hits; `nil` if the file is no trace.
  private func hitNames(_ shown: ShownFile) -> [[SymbolName]]? {
    if case .trace(let document) = shown.contents { document.hitNames } else { nil }
  }

  @Test func anImageIsShownWithItsFunctions() throws {
    let shown = try ShownFile(path: builds.path("after"))
    guard case .image(let report) = shown.contents else {
      Issue.record("\(shown.contents)")
      return
    }
    #expect(report.image.layout.functions.count == 16)
    #expect(shown.imageFormat == .elf)
  }

  @Test func aLinkMapIsShownWithItsLinker() throws {
    try builds.workshop.write(try fixture("linkmap/gold-cxx/input.map"), "map")
    guard case .linkMap(let report) = try ShownFile(path: builds.path("map")).contents else {
      Issue.record("no link map")
      return
    }
    #expect(report.linker == "gold")
    #expect(!report.layout.functions.isEmpty)
  }

  @Test func anOrderFileIsShownEntryByEntryAndIsOfNoFormat() throws {
    try builds.write("# comment\nmain\n\nfirst\n", "order")
    let shown = try ShownFile(path: builds.path("order"))
    guard case .orderFile(let report) = shown.contents else {
      Issue.record("\(shown.contents)")
      return
    }
    #expect(report.entries.map { "\($0.name)" } == ["main", "first"])
    #expect(report.entries.map(\.line) == [2, 4])
    #expect(shown.imageFormat == nil)
  }

  @Test(arguments: [
    "some lines of prose\nand more of it\n", "word\n", "# a remark\nword",
    "<?xml version=\"1.0\"?>\n<plist/>\n",
  ])
  func otherTextIsRefused(_ text: String) throws {
    try builds.write(text, "text")
    let error = diagnostic { _ = try ShownFile(path: builds.path("text")) }
    #expect(error?.message.hasPrefix("unsupported file: expected a trace") ?? false)
  }

  @Test func oneWordIsAnOrderFileIfItsNameOrItsWriterSaysSo() throws {
    for (text, name) in [
      ("word\n", "a.order"), ("# orderfile 1: first uses\nmain\n", "text"), ("f1\nf2\n", "text"),
    ] {
      try builds.write(text, name)
      guard case .orderFile = try ShownFile(path: builds.path(name)).contents else {
        Issue.record("\(text)")
        return
      }
    }
  }

  @Test func anImageThatWasNotRecordedIsRefused() {
    var options = ShownFile.Options()
    options.recorded = [builds.path("after")]
    let error = diagnostic { _ = try ShownFile(path: builds.path("app.oftrace"), options) }
    #expect(error?.severity == .mismatch)
  }
}
