import Addresses
import Symbolication
import Testing

@Suite struct AddressResolverTests {
  // f at 0x1000 with an alias, g at 0x1010; 16 bytes each.
  static let resolver = AddressResolver(sampleLayout(["f", "=f_alias", "g"]))

  static func names(_ indexes: Range<Int>) -> [String] { resolver.layout.names(indexes) }

  @Test(
    arguments: [
      (0x0fff, []), (0x1000, ["f", "f_alias"]), (0x1001, []), (0x1010, ["g"]), (0x1020, []),
    ] as [(UInt64, [String])])
  func anEntryIsTheFirstAddressOfAFunction(address: UInt64, expected: [String]) {
    let found = Self.resolver.functions(entry: StatedAddress(rawValue: address))
    #expect(Self.names(found) == expected)
  }

  @Test(
    arguments: [
      (0, []), (0x1000, []), (0x1001, ["f", "f_alias"]), (0x1010, ["f", "f_alias"]),
      (0x1011, ["g"]), (0x1020, ["g"]), (0x1021, []), (.max, []),
    ] as [(UInt64, [String])])
  func aReturnAddressBelongsToTheCallBeforeIt(address: UInt64, expected: [String]) {
    let found = Self.resolver.functions(calling: StatedAddress(rawValue: address))
    #expect(Self.names(found) == expected)
  }

  @Test(
    arguments: [(0x1000, ["f", "f_alias"]), (0x101f, ["g"]), (0x1020, [])] as [(UInt64, [String])])
  func anAddressBelongsToTheBodyAroundIt(address: UInt64, expected: [String]) {
    let found = Self.resolver.functions(containing: StatedAddress(rawValue: address))
    #expect(Self.names(found) == expected)
  }
}
