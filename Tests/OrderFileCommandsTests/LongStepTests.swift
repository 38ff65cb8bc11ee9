import OrderFileCommands
import Testing

@Suite struct LongStepTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func onATerminalALineIsDrawnEachInterval() {
    var step = LongStep(
      "build: make -j2", isTerminal: true, drawInterval: Self.second, at: 7 * Self.second)
    func shown(_ seconds: UInt64, _ state: String) -> LongStep.Shown? {
      step.shown(at: 7 * Self.second + seconds * Self.second, width: 60, state)
    }
    #expect(shown(0, "") == .line("build: make -j2, 0 s"))
    #expect(step.shown(at: 7 * Self.second + 999_999_999, width: 60, "cc") == nil)
    #expect(shown(1, "cc a.c") == .line("build: make -j2, 1 s: cc a.c"))
    #expect(shown(332, "cc b.c") == .line("build: make -j2, 5 min 32 s: cc b.c"))
    #expect(shown(360, "\u{1b}[1mcc\tb.c") == .line("build: make -j2, 6 min: \\x1b[1mcc\\tb.c"))
  }

  @Test func elsewhereThereIsANoteEachMinute() {
    var step = LongStep("count: pages", isTerminal: false, drawInterval: 1, at: 0)
    func shown(_ seconds: UInt64, _ state: String) -> LongStep.Shown? {
      step.shown(at: seconds * Self.second, width: 80, state)
    }
    #expect(shown(0, "") == nil && shown(59, "") == nil)
    #expect(shown(60, "") == .note("count: pages: 1 min so far"))
    #expect(shown(119, "") == nil)
    #expect(shown(125, "5 of 9") == .note("count: pages: 2 min 5 s so far: 5 of 9"))
    #expect(shown(184, "") == nil && shown(185, "") != nil)
  }

  @Test(arguments: [20, 33, 80]) func aLineFitsIntoTheTerminal(width: Int) {
    for title in [String(repeating: "a", count: 200), String(repeating: "漢", count: 200)] {
      var step = LongStep(title, isTerminal: true, drawInterval: 1, at: 0)
      guard case .line(let line)? = step.shown(at: 1, width: width, title) else {
        Issue.record("nothing is shown")
        return
      }
      let columns = line.reduce(0) { $0 + ($1 == "漢" ? 2 : 1) }
      #expect(columns < width && columns > width - 4, "\(line)")
      #expect(line.contains(", 0 s: "), "\(line)")
    }
  }
}
