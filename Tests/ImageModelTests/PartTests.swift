import ImageModel
import ModelSamples
import Testing

@Suite struct PartTests {
  static let layout = sampleLayout([
    SampleFunction(name: "f", address: 0x1000, size: 100),
    SampleFunction(name: "alias of f", address: 0x1000, size: 100),
    SampleFunction(name: "assembly", address: 0x2000, size: 0),
  ])

  @Test func aliasesArePartsOfOneBody() {
    let blocks = [FunctionBlock(offset: 40, size: 10), FunctionBlock(offset: 0, size: 8)]
    let part = Part(1, blocks: blocks)
    #expect(Self.layout.canonical(part) == Part(0, blocks: blocks.reversed()))
    #expect(Self.layout.allAliases(of: part).map(\.function) == [0, 1])
    #expect(Self.layout.canonical(Part(2)) == Part(2))
  }

  @Test(
    arguments: [
      ([Part(0), Part(1)], 100), ([Part(2)], 0),
      ([Part(0, blocks: [FunctionBlock(offset: 90, size: 90)])], 10),
      (
        [
          Part(0, blocks: [FunctionBlock(offset: 0, size: 8)]),
          Part(1, blocks: [FunctionBlock(offset: 0, size: 8)]),
          Part(0, blocks: [FunctionBlock(offset: 8, size: 8), FunctionBlock(offset: 40, size: 4)]),
        ], 20
      ),
    ] as [([Part], UInt64)])
  func bytesOfAPartCountOnce(parts: [Part], bytes: UInt64) {
    #expect(Self.layout.byteCount(of: parts) == bytes)
  }

  @Test func theWholeComesBeforeItsBlocks() {
    let (a, b) = (FunctionBlock(offset: 0, size: 4), FunctionBlock(offset: 4, size: 4))
    let ascending = [
      Part(0), Part(0, blocks: [a]), Part(0, blocks: [a, b]), Part(0, blocks: [b]), Part(1),
    ]
    #expect(ascending.reversed().sorted() == ascending)
    #expect(ascending.allSatisfy { !($0 < $0) })
  }
}
