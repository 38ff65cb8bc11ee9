import Addresses
import ImageModel
import ModelSamples
import Testing

@Suite struct LayoutTests {
  /// A layout with one section at 0x1000 of 0x1000 bytes.
  static func layout(_ functions: [(name: String, address: UInt64, size: UInt64)]) -> Layout {
    sampleLayout(
      functions.map {
        SampleFunction(name: "\($0.name)", address: $0.address, size: $0.size)
      }, sections: [SampleSection(name: ".text", address: 0x1000, size: 0x1000)])
  }

  static func names(_ layout: Layout, _ indexes: Range<Int>) -> [String] {
    indexes.map { layout.name(of: layout.functions[$0]).description }
  }

  @Test func aliasesAreFoundTogetherWhateverTheirOrderInTheInput() {
    let functions: [(String, UInt64, UInt64)] = [
      ("c", 0x1020, 16), ("b", 0x1010, 16), ("a", 0x1010, 16),
    ]
    for functions in [functions, functions.reversed()] {
      let layout = Self.layout(functions)
      let found = layout.functions(at: StatedAddress(rawValue: 0x1010))
      #expect(Self.names(layout, found) == ["a", "b"])
    }
  }

  static func range(_ address: UInt64, _ size: UInt64) -> AddressRange {
    AddressRange(start: StatedAddress(rawValue: address), size: size)
  }

  @Test func framesThatNoSymbolCoversBecomeUnnamedFunctions() {
    let layout = Self.layout([("f", 0x1010, 16), ("label", 0x1030, 0)]).addingUnnamedFunctions([
      Self.range(0x0ff0, 8), Self.range(0x1000, 16), Self.range(0x1010, 16),
      Self.range(0x1018, 8), Self.range(0x1030, 4), Self.range(0x1040, 32),
      Self.range(0x1040, 32), Self.range(0x2000, 8),
    ])
    let found = layout.functions.map { "\($0.address) \($0.knownBytes) \($0.isUnnamed)" }
    #expect(
      found == ["0x1000 16 true", "0x1010 16 false", "0x1030 0 false", "0x1040 32 true"])
  }

  @Test func unnamedFunctionsOfOneSequenceOfSizesArePairs() throws {
    let before = Self.layout([("f", 0x1010, 16)]).addingUnnamedFunctions([
      Self.range(0x1000, 8), Self.range(0x1040, 32),
    ])
    let after = Self.layout([("f", 0x1000, 16)]).addingUnnamedFunctions([
      Self.range(0x1020, 8), Self.range(0x1030, 32),
    ])
    let pairs = try #require(UnnamedFunctionPairs(before: before, after: after))
    #expect(try #require(pairs.pair(before: 2)) == (2, 2))
    #expect(try #require(pairs.pair(before: 0)) == (0, 1))
    #expect(try #require(pairs.pair(after: 1)) == (0, 1))
    #expect(pairs.pair(before: 1) == nil && pairs.pair(after: 0) == nil)
    let other = Self.layout([]).addingUnnamedFunctions([Self.range(0x1000, 8)])
    #expect(UnnamedFunctionPairs(before: before, after: other) == nil)
    let swapped = Self.layout([]).addingUnnamedFunctions([
      Self.range(0x1000, 32), Self.range(0x1040, 8),
    ])
    #expect(UnnamedFunctionPairs(before: before, after: swapped) == nil)
  }

  @Test(
    arguments: [
      (0x100f, []), (0x1010, ["f"]), (0x101f, ["f"]), (0x1020, []), (0x1030, ["unsized"]),
      (0x1fff, ["unsized"]), (0x2000, []),
    ] as [(UInt64, [String])])
  func anAddressBelongsToTheBodyThatHoldsIt(address: UInt64, expected: [String]) {
    let layout = Self.layout([("f", 0x1010, 16), ("unsized", 0x1030, 0)])
    let found = layout.functions(containing: StatedAddress(rawValue: address))
    #expect(Self.names(layout, found) == expected)
  }
}

@Suite struct ImageIDTests {
  @Test(arguments: [
    ImageID(kind: .buildID, bytes: [0x0a, 0xff]), ImageID(kind: .weak, bytes: [1, 2, 3]),
    ImageID(kind: .uuid, bytes: Array(0xa0..<0xb0)),
  ]) func anIDIsReadFromItsDescription(id: ImageID) { #expect(ImageID("\(id)") == id) }

  @Test(arguments: ["a", "zz", "0A", "weak:0", "A0-A1", "+1", "größe", "weak:weak:01", ""])
  func otherTextIsNone(text: String) { #expect(ImageID(text) == nil) }
}
