import ByteReading
import TemporalProfileFormat
import TestSupport
import Testing

@Suite struct TemporalProfileTests {
  static let text = """
    # IR level Instrumentation Flag
    :ir
    :temporal_prof_traces
    # Num Temporal Profile Traces:
    2
    # Temporal Profile Trace Stream Size:
    7
    # Weight:
    1
    main,app/a b/load.c;row, _ZN3app4openEv\t,,;own,c.c;,

    # Weight:
    3
    main
    main
    # Func Hash:
    742261418966908927

    """

  private func names(_ profile: TemporalProfile) -> [[String]] {
    profile.traces.map { trace in
      var names: [String] = []
      profile.forEachName(of: trace) { name in
        let file = name.file.map { "\(profile.bytes.text($0)) has " } ?? ""
        names.append(file + profile.bytes.text(name.symbol))
      }
      return names
    }
  }

  private func profile(_ text: String) throws -> TemporalProfile {
    try TemporalProfile(parsing: FileBytes(Array(text.utf8)))
  }

  @Test(arguments: [text, text.replacing("\n", with: "\r\n")])
  func aTraceIsAListOfFunctionsWithTheirFiles(text: String) throws {
    let profile = try profile(text)
    #expect(
      names(profile) == [
        ["main", "app/a b/load.c has row", "_ZN3app4openEv", " has own", "c.c;"], ["main"],
      ])
    #expect(profile.traces.map(\.weight) == [1, 3] && profile.traces.map(\.line) == [10, 14])
    #expect(profile.streamSize == 7)
  }

  @Test(
    arguments: [
      ("app.c:row", "app.c row"), ("a/b.c:row", "a/b.c row"), ("C:\\a\\b.c:row", "C:\\a\\b.c row"),
      ("<unknown>:row", "<unknown> row"), ("App.m:-[Cart add:to:]", "App.m -[Cart add:to:]"),
      ("App.m:+[Cart new]", "App.m +[Cart new]"), ("row", nil), ("app.c:", nil), (":row", nil),
      ("app.c;row", nil),
    ] as [(String, String?)])
  func llvm17PutsAColonBehindTheFile(name: String, parts: String?) throws {
    let profile = try profile(":temporal_prof_traces\n1\n1\n1\n\(name),\n")
    var found: [String?] = []
    profile.forEachName(of: profile.traces[0]) { name in
      found.append(
        profile.olderForm(of: name).map { older in
          (older.file.map { profile.bytes.text($0) } ?? "") + " " + profile.bytes.text(older.symbol)
        })
    }
    #expect(found == [parts])
  }

  @Test(
    arguments: [
      ("", "missing :temporal_prof_traces (at line 1)"),
      ("main\n1\n1\n1\n", "missing :temporal_prof_traces (at line 1)"),
      (":ir\nmain\n:temporal_prof_traces\n", "missing :temporal_prof_traces (at line 2)"),
      (
        ":temporal_prof_traces",
        "ends early, in 'Num Temporal Profile Traces' (at line 2)"
      ),
      (
        ":temporal_prof_traces\n1\n1\n1\n",
        "ends early, in 'temporal profile trace' (at line 5)"
      ),
      (
        ":temporal_prof_traces\n99999999999999999999\n",
        "invalid Num Temporal Profile Traces: expected a number, found '99999999999999999999' (at line 2)"
      ),
      (
        ":temporal_prof_traces\n-1\n",
        "invalid Num Temporal Profile Traces: expected a number, found '-1' (at line 2)"
      ),
      (
        ":TEMPORAL_PROF_TRACES\n2\n2\n1\na\nb\n",
        "invalid Weight: expected a number, found 'b' (at line 6)"
      ),
      ("\u{ff}lprofi\u{81}", "missing :temporal_prof_traces (at line 1)"),
    ])
  func whatIsDamagedIsNamedWithItsLine(text: String, expected: String) {
    #expect { try profile(text) } throws: { "\($0)" == expected }
  }

  @Test func aProfileWithoutTracesIsEmpty() throws {
    #expect(try profile(":ir\n:temporal_prof_traces\n0\n0\nmain\n").traces.isEmpty)
  }

  @Test(.needs(.time)) func cutsAndFlippedBytesDoNotTrap() {
    let input = Array(Self.text.utf8)
    let cuts = hostilePrefixLengths(of: input).map { Array(input[..<$0]) }
    for damaged in cuts + Array(byteFlips(of: input)) {
      guard let profile = try? TemporalProfile(parsing: FileBytes(damaged)) else { continue }
      #expect(names(profile).joined().count <= damaged.count)
    }
  }

  @Test(arguments: ["a,", ",", ";", "a;b,", " ", "1\n", "#\n"])
  func manyNamesCostLinearTime(unit: String) {
    let head = ":temporal_prof_traces\n9999999\n1\n1\n"
    let growth = costGrowth(from: 1 << 13, by: 8) { size in
      let text = head + String(repeating: unit, count: size) + "\n"
      if let profile = try? profile(text) { _ = names(profile) }
    }
    #expect(growth < 30, "eight times the bytes: linear is 8, quadratic 64")
  }
}
