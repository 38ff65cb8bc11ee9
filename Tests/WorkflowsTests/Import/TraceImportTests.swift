import ImageModel
import Reporting
import TestSupport
import Testing
import Workflows

@Suite struct TraceImportTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func imported(
    _ source: (String) -> TraceImport.Source, _ list: String, listed: Int? = 10
  ) throws -> TraceImport.Result {
    try builds.write(list, "list")
    var traceImport = TraceImport(
      source(builds.path("list")), image: builds.path("before"), outputPath: "out.oftrace")
    traceImport.listedLines = listed
    return try traceImport.run()
  }

  /// The functions that the trace tells, in its order.
  private func names(_ trace: [UInt8]) throws -> [String] {
    try builds.workshop.write(trace, "imported")
    guard case .trace(let report) = try ShownFile(path: builds.path("imported")).contents else {
      return []
    }
    return report.hitNames.map { "\($0.first ?? SymbolName(""))" }
  }

  @Test func aListOfSymbolsBecomesATraceInItsOrder() throws {
    let result = try imported(TraceImport.Source.symbols, "# in time order\nf3\nf1\n\nf3\nf2\n")
    #expect(try names(result.trace) == ["f3", "f1", "f2"])
    #expect(result.document.functions == 3)
    #expect(result.document.source == "symbols")
    #expect(result.warnings.isEmpty)
  }

  @Test func anAddressStandsForTheFunctionThatHoldsIt() throws {
    let result = try imported(TraceImport.Source.addresses, "1400\n0x1001\n")
    #expect(try names(result.trace) == ["f1", "f0"])
  }

  @Test func linesThatStandForNothingAreListedUpToTheLimit() throws {
    let list = "f0\nf1\nf2\nf3\nno1\nno2\nno3\n"
    let all = try imported(TraceImport.Source.symbols, list, listed: nil)
    #expect(all.warnings.map(\.context) == (5...7).map { ["\(builds.path("list")):\($0)"] })
    let some = try imported(TraceImport.Source.symbols, list, listed: 1)
    #expect(some.warnings.count == 2)
    #expect(some.warnings.last?.message == "2 more lines match no function")
  }

  @Test func aListOfAnotherProgramIsRefused() {
    let error = diagnostic { _ = try imported(TraceImport.Source.symbols, "f0\ng1\ng2\n") }
    #expect(error?.severity == .mismatch)
    #expect(error?.context == [builds.path("before")])
  }

  @Test func aListThatSaysNothingRecordsNothing() {
    let error = diagnostic { _ = try imported(TraceImport.Source.symbols, "# nothing\n") }
    #expect(error?.severity == .nothingRecorded)
  }

  @Test func whatIsNoAddressIsRefusedWithItsLine() {
    let error = diagnostic { _ = try imported(TraceImport.Source.addresses, "1000\nmain\n") }
    #expect(error?.context == [builds.path("list")])
  }

  @Test func aRecordingOfInstrumentsNeedsAMachOImage() {
    let error = diagnostic { _ = try imported({ .xctrace([$0]) }, "f0\n") }
    #expect(error?.context == [builds.path("before")])
    #expect(error?.message == "unsupported image: expected a Mach-O image with a UUID")
  }
}
