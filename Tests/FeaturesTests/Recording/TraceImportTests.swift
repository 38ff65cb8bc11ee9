import CommandSupport
import ImageModel
import Recording
import Reports
import TestSupport
import Testing

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
    return try #require(try results(of: traceImport).first)
  }

  private func results(of traceImport: TraceImport) throws -> [TraceImport.Result] {
    var results: [TraceImport.Result] = []
    try traceImport.run { results.append($0) }
    return results
  }

  /// Returns the names of the functions in the trace, in its order.
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

  @Test func anOrderFileIsATraceWhosePositionsAreItsEntries() throws {
    let result = try imported({ .order($0) }, "# made by hand\nf3\n\nf1.llvm.7\nf3\nno1\n")
    #expect(try names(result.trace) == ["f3", "f1"])
    #expect(result.document.source == "order")
    #expect(
      result.warnings.map { "\($0)" } == [
        "\(builds.path("list")):6: missing 'no1': no such symbol"
      ])
    let text = ImportText(result.document).text
    #expect(text.contains("imported 2 functions from 3 entries of"))
  }

  private static let profile = """
    :ir
    :temporal_prof_traces
    2
    9
    1
    f2,lib/a b.c;f1,f2,
    3
    f0,nobody,f3
    """

  @Test func eachTraceOfAProfileIsATrace() throws {
    try builds.write(Self.profile, "app.proftext")
    let path = builds.path("app.proftext")
    var traceImport = TraceImport(
      .proftext(path), image: builds.path("before"), outputPath: "traces/")
    let all = try results(of: traceImport)
    #expect(try all.map { try names($0.trace) } == [["f2", "f1"], ["f0", "f3"]])
    #expect(all.map(\.document.outputPath) == ["traces/1.oftrace", "traces/2.oftrace"])
    #expect(
      all.flatMap(\.warnings).map { "\($0)".split(separator: "\n")[0] } == [
        "\(path): this profile has only 2 traces of 9: it keeps a sample",
        "\(path):8: missing 'nobody': no such symbol",
        "\(path):8: trace 2 counts 3 times in the profile, but only once in the imported trace: traces have no weights",
      ])
    traceImport.outputPath = "app.oftrace"
    traceImport.traceNumber = 2
    let one = try results(of: traceImport)
    #expect(try one.map { try names($0.trace) } == [["f0", "f3"]])
    #expect(one.map(\.document.outputPath) == ["app.oftrace"])
    for number in [nil, 3] {
      traceImport.traceNumber = number
      let error = diagnostic { _ = try results(of: traceImport) }
      #expect(error?.hint?.contains("--trace-number, from 1 to 2") == true)
    }
  }

  @Test func whatIsNoTemporalProfileIsRefusedWithAHint() throws {
    for (text, hint) in [
      (":ir\nmain\n1\n1\n1\n", "-pgo-temporal-instrumentation"),
      ("\u{0}\u{0}\u{0}\u{0}", "-pgo-temporal-instrumentation"),
    ] {
      let error = diagnostic { _ = try imported({ .proftext($0) }, text) }
      #expect(error?.message.hasPrefix("missing :temporal_prof_traces") == true)
      #expect(error?.hint?.contains(hint) == true)
    }
    let empty = diagnostic {
      _ = try imported({ .proftext($0) }, ":temporal_prof_traces\n0\n0\n")
    }
    #expect(empty?.severity == .nothingRecorded)
    let other = diagnostic {
      _ = try imported({ .proftext($0) }, ":temporal_prof_traces\n1\n1\n1\na,b,f0\n")
    }
    #expect(other?.severity == .mismatch)
  }

  @Test func aConverterThatIsMissingIsNamed() throws {
    try builds.write("\u{ff}", "app.profraw")
    let missing = diagnostic {
      var traceImport = TraceImport(
        .profdata(
          [builds.path("app.profraw")],
          TemporalProfileConverter(LaunchEnvironment(searchPath: builds.workshop.folder.path))),
        image: builds.path("before"), outputPath: "out")
      traceImport.traceNumber = 1
      _ = try results(of: traceImport)
    }
    #expect(missing?.message == "unable to convert: llvm-profdata is not installed")
  }

  /// A function has the place of the first sample whose stack contains it.
  @Test func samplesArePlacedByTheirFirstSample() throws {
    let text = """
      before 7/7 2.000000: cycles:u:
      \t10 f2+0x1 (/home/dev/before)
      \t10 f0+0x1 (/home/dev/before)
      \t10 main+0x1 (/usr/lib/libc.so.6)

      before 7/8 2.500000: cycles:u:
      \t10 f3+0x1 (/home/dev/before (deleted))
      \t10 puts@plt+0x1 (/home/dev/before)
      \t10 f0+0x1 (/home/dev/before)

      other 9/9 2.600000: cycles:u:
      \t10 f1+0x1 (/home/dev/before)

      before 7/8 2.700000: cycles:u:
      \t10 [unknown] (/home/dev/before)

      """
    let result = try imported({ .perf($0) }, text)
    #expect(try names(result.trace) == ["f0", "f2", "f3"])
    #expect(
      result.document.details
        == .samples(
          .init(samples: 3, names: 3, unnamedFrames: 1, command: "before", missing: [])))
    #expect(
      result.warnings.map(\.message) == ["process 9 also used the image, and is not imported"])
    let none = diagnostic {
      _ = try imported({ .perf($0) }, text.replacing("/home/dev/before", with: "/home/dev/app"))
    }
    #expect(none?.severity == .mismatch && none?.hint?.contains("'app', 'libc.so.6'") == true)
    let other = diagnostic { _ = try imported({ .perf($0) }, "f0\nf1\n") }
    #expect(other?.message.hasPrefix("missing samples of perf script") == true)
  }
}
