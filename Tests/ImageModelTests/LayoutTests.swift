import Addresses
import ImageModel
import Testing

@Suite struct LayoutTests {
  /// A layout with one section at 0x1000 of 0x1000 bytes.
  static func layout(_ functions: [(name: String, address: UInt64, size: UInt64)]) -> Layout {
    var names = NameTable()
    let section = Section(
      name: ".text",
      range: AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x1000),
      isExecutable: true)
    let functions = functions.map {
      Function(
        name: names.append(Array($0.name.utf8))!,  // far below 4 GiB
        address: StatedAddress(rawValue: $0.address), size: $0.size, section: 0)
    }
    return Layout(sections: [section], functions: functions, names: names)
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
