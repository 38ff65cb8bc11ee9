import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct MachOStartFunctionTests {
  /// The symbols at `addresses`, of a file that is not stripped.
  static func names(_ addresses: [StatedAddress], in file: MachOFile) throws -> [String] {
    var names: [StatedAddress: String] = [:]
    let table = try #require(try file.symbolTable())
    table.forEachSymbol { symbol in
      guard symbol.isInSection, let name = table.names.name(at: symbol.nameOffset) else { return }
      names[symbol.value] = file.bytes.text(name.indices)
    }
    return addresses.map { names[$0] ?? "\($0)" }
  }

  @Test(.enabled(if: AppleFile.canBeBuilt), arguments: AppleFile.unstrippedImages)
  func loadMethodsAreFoundASuperclassFirst(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let found = try file.loadMethods()
    #expect(
      try Self.names(found.addresses, in: file)
        == ["+[Root load]", "+[Leaf load]", "+[Root(Extra) load]"])
    #expect(found.unknownCount == 0)
  }

  @Test(.enabled(if: AppleFile.canBeBuilt), arguments: AppleFile.unstrippedImages)
  func initializersAreFoundInTheOrderOfTheLink(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let found = try file.initializers()
    let names = try Self.names(found.addresses, in: file)
    #expect(names == ["_first", "___GLOBAL_init_65535", "__GLOBAL__sub_I_global.cpp"])
    #expect(found.unknownCount == 0)
    let kinds = file.sections.map(\.type)
    #expect(kinds.contains(.initializerOffsets) != kinds.contains(.initializerPointers))
  }
}
