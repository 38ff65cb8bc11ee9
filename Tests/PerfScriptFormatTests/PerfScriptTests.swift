import ByteReading
import PerfScriptFormat
import TestSupport
import Testing

@Suite struct PerfScriptTests {
  /// Formats each sample as a line: command, process, thread, nanoseconds, line number, frames.
  private func samples(_ text: String) throws -> [String] {
    let bytes = FileBytes(Array(text.utf8))
    var lines: [String] = []
    try PerfScript(bytes).forEachSample { sample in
      let frames = sample.frames.map { frame in
        "\(frame.symbol.map { bytes.text($0) } ?? "-")@\(frame.image.map { bytes.text($0) } ?? "-")"
      }
      let process = sample.process.map { "\($0)/" } ?? ""
      let thread = sample.thread.map { "\($0)" } ?? "-"
      lines.append(
        "\(bytes.text(sample.command)) \(process)\(thread) \(sample.nanoseconds) \(sample.line): "
          + frames.joined(separator: " "))
    }
    return lines
  }

  static let stacks = """
    # cmdline : /usr/bin/perf record -g ./app
    app 4161/4162 [001] 71906.271772:     250000 cpu-clock:u:\u{20}
    \t    55d48c85b7c7 load+0x17 (/tmp/app)
    \t    55d48c85b7c7 helper (inlined)
    \t    55d48c85b803 main+0x3 (/tmp/app)
    \t               0 [unknown] ([unknown])

    app 4161/4161 71906.271780: PERF_RECORD_MMAP2 4161/4161: [0x55d48c85b000(0x3000) @ 0 fe:00 1 3]: r-xp /tmp/app
    Web Content 77 2.000000001:  1 cycles:u:
    \t7f00 operator()(int) const+0x17 (/tmp/a (1)/app)
    \t7f01 -[Foo bar:]+0x0 (/tmp/a b/app (deleted))
    \t7f02 f(int) (/tmp/app+0x1139)
    """

  @Test func stacksAreReadWithTheirImages() throws {
    #expect(
      try samples(Self.stacks) == [
        "app 4161/4162 71906271772000 2: load@/tmp/app main@/tmp/app -@-",
        "Web Content 77 2000000001 9: operator()(int) const@/tmp/a (1)/app "
          + "-[Foo bar:]@/tmp/a b/app (deleted) f(int)@/tmp/app",
      ])
  }

  /// `perf script -F ip,sym,dso` prints symbols without offsets.
  @Test func withoutOffsetsAPathMayHoldParentheses() throws {
    let text = """
      app 4161 71906.272019:   250000 cpu-clock:u:
      \t55d48c85b7c7 leaf (/tmp/app (deleted))
      \t55d48c85b7c8 f(int) (/tmp/my (x)/app)
      \t55d48c85b7c9 g() const ([vdso] (deleted))
      \t55d48c85b803 main (app)

      """
    #expect(
      try samples(text) == [
        "app 4161 71906272019000 1: leaf@/tmp/app (deleted) f(int)@/tmp/my (x)/app "
          + "g() const@[vdso] (deleted) main@app"
      ])
  }

  @Test func samplesWithoutATimeAreMissing() {
    let text = "app 4161/4161 cpu-clock: \n\t55d48c85b7c7 leaf+0x1 (/tmp/app)\n\n"
    let error = #expect(throws: ParseError.self) { try samples(text) }
    #expect(error?.description == "missing samples of perf script with a time (at line 1)")
  }

  /// Without -g a sample has one line, with the command right-aligned.
  @Test func aSampleMayBeOneLine() throws {
    let text = """
                   t 14165 71906.271271:     250000 cpu-clock:u:            1462a handle_amd+0xa (/usr/lib/ld.so)
                   t 14165 71906.271771:     250000 cpu-clock:u:  [unknown]
      1 2 3 99 [000] 5.1:  cycles:  ab f
      """
    #expect(
      try samples(text) == [
        "t 14165 71906271271000 1: handle_amd@/usr/lib/ld.so", "t 14165 71906271771000 2: ",
        "1 2 3 99 5100000000 3: f@-",
      ])
  }

  @Test(arguments: [
    "", "\n\n", "app 12 cycles: 7f f (/app)", "7f00 f+0x1 (/app)", "x 1.5: a", "<xml/>",
  ])
  func otherTextHasNoSamples(text: String) {
    #expect { try samples(text) } throws: {
      ($0 as? ParseError)?.reason == .missing
    }
  }

  @Test(.needs(.time)) func cutsAndFlippedBytesDoNotTrap() {
    let input = Array(Self.stacks.utf8)
    let cuts = hostilePrefixLengths(of: input).map { Array(input[..<$0]) }
    for damaged in cuts + Array(byteFlips(of: input)) {
      let bytes = FileBytes(damaged)
      _ = try? PerfScript(bytes).forEachSample { sample in
        #expect(sample.frames.allSatisfy { $0.symbol?.isEmpty != true })
      }
    }
  }

  @Test(
    arguments: [
      "a ", " (", "+0x1 (", "a 1 1.0: ", "a 1 1.0: e: 7 f (x)\n", "\t7f f (x)\n", "7", "[",
    ])
  func longLinesAndManyCostLinearTime(unit: String) {
    let head = "app 1/1 1.000000: 1 cycles:u:\n\t7f "
    let growth = costGrowth(from: 1 << 13, by: 8) { size in
      _ = try? samples(head + String(repeating: unit, count: size) + "\n")
    }
    #expect(growth < 30, "eight times the bytes: linear is 8, quadratic 64")
  }
}
