import ImageModel
import OrderFileFormat
import TestSupport
import Testing

@Suite struct BOLTProfileTests {
  private func profile(_ functions: [(String, [FunctionBlock])], step: UInt64 = 1) -> BOLTProfile {
    BOLTProfile(
      functions.map { BOLTProfile.Function(name: Array($0.utf8), executed: $1) }, step: step)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func eachExecutedPlaceHasOneSample() {
    let profile = profile([
      ("main", [FunctionBlock(offset: 14, size: 3), FunctionBlock(offset: 0, size: 1)]),
      ("f/1", [FunctionBlock(offset: 1, size: 2), FunctionBlock(offset: 2, size: 2)]),
    ])
    #expect(
      text(profile.samples) == """
        no_lbr executed:
        1 main 0 1
        1 main e 1
        1 main f 1
        1 main 10 1
        1 f/1 1 1
        1 f/1 2 1
        1 f/1 3 1

        """)
    #expect(text(profile.order) == "main\nf/1\n" && profile.count == 2)
  }

  @Test func instructionsOfSeveralBytesHaveOneSampleEach() {
    let profile = profile([("f", [FunctionBlock(offset: 4, size: 10)])], step: 4)
    #expect(text(profile.samples) == "no_lbr executed:\n1 f 4 1\n1 f 8 1\n1 f c 1\n")
  }

  @Test func namesAreEscapedOrLeftOut() {
    let block = [FunctionBlock(offset: 0, size: 1)]
    let profile = profile([("a b\\c", block), ("two\nlines", block), ("", []), ("zero\0", block)])
    #expect(text(profile.samples) == "no_lbr executed:\n1 a\\ b\\\\c 0 1\n")
    #expect(profile.count == 1)
  }
}
