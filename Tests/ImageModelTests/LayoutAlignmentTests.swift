import ImageModel
import ModelSamples
import Testing

@Suite struct LayoutAlignmentTests {
  private func alignment(_ addresses: [UInt64]) -> UInt64 {
    sampleLayout(
      addresses.map { SampleFunction(name: "f", address: $0) },
      sections: [SampleSection(name: ".text", address: 0x1000, size: 0x1000)]
    ).alignment(inSection: 0)
  }

  @Test func itIsThatOfNineInTen() {
    let few: [UInt64] = [0x1010, 0x1024, 0x1038]
    #expect(alignment(few) == 4)
    let many: [UInt64] = (1...9).map { 0x1000 + 48 * $0 }
    #expect(alignment(many + [0x1801]) == 16)
    #expect(alignment(many + [0x1801, 0x1803]) == 1)
    #expect(alignment([0x1000]) == 64)
  }

  @Test func withoutFunctionsItIsOne() {
    #expect(alignment([]) == 1)
    // In another section.
    #expect(alignment([0x3000]) == 1)
  }

  @Test(
    arguments: [
      (0, 16, 0), (1, 16, 16), (16, 16, 16), (17, 1, 17), (.max, 16, .max),
      (.max - 15, 16, .max - 15),
    ] as [(UInt64, UInt64, UInt64)])
  func sizesAreRoundedUp(size: UInt64, alignment: UInt64, aligned: UInt64) {
    #expect(size.aligned(to: alignment) == aligned)
  }
}
