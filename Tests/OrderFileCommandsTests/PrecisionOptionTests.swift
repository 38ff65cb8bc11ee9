import OrderFileCommands
import Testing

@Suite struct PrecisionOptionTests {
  @Test func sharesAreReadAsPercentagesAndAsNumbers() {
    #expect(PrecisionOption(argument: "3%")?.share == 0.03)
    #expect(PrecisionOption(argument: "0.5%")?.share == 0.005)
    #expect(PrecisionOption(argument: "0.03")?.share == 0.03)
    for text in ["0", "0%", "1", "100%", "-1%", "nan", "inf%", "", "%", "3 %", "x"] {
      #expect(PrecisionOption(argument: text) == nil, "\(text)")
    }
  }
}
