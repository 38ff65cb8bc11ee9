import OrderFileCommands
import Testing

@Suite struct ShareOptionTests {
  @Test func sharesAreReadAsPercentagesAndAsNumbers() {
    for (text, percent) in [
      ("95%", 95), ("95", 95), ("0.95", 95), ("0.5%", 0.5), ("1", 100), ("1%", 1), ("100", 100),
      ("0", 0),
    ] {
      #expect(ShareOption(argument: text)?.percent == percent, "\(text)")
    }
    for text in ["", "%", "101", "100.1%", "-1%", "nan", "inf", "1e1", "0x10", "95 %", ".", "٥%"] {
      #expect(ShareOption(argument: text) == nil, "\(text)")
    }
  }
}
