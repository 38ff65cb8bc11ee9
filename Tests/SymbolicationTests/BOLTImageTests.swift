import Addresses
import ByteReading
import Symbolication
import TestSupport
import Testing

/// The names that BOLT gives to functions.
@Suite struct BOLTImageTests {
  private func image(_ symbols: [ELFWriter.Symbol]) throws -> BOLTImage {
    var writer = ELFWriter()
    writer.addText()
    writer.addSymbols(symbols)
    return try BOLTImage(of: FileBytes(writer.bytes()))
  }

  private func name(_ image: BOLTImage, _ address: UInt64) -> String? {
    image.name(of: StatedAddress(rawValue: address)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func localSymbolsOfANameAreNumberedByAddress() throws {
    let image = try image([
      .init("parse", info: 0x02, value: 0x1080, size: 8),
      .init("parse", info: 0x02, value: 0x1010, size: 8),
      .init("parse", info: 0x01, value: 0x1040, size: 8),
      .init("main", value: 0x1020, size: 8),
      .init(".Lhidden", info: 0x02, value: 0x1030, size: 8),
    ])
    #expect(name(image, 0x1010) == "parse/1" && name(image, 0x1080) == "parse/3")
    #expect(name(image, 0x1020) == "main" && name(image, 0x1030) == "PG.Lhidden/1")
    #expect(name(image, 0x1040) == nil && name(image, 0x1011) == nil)
    #expect(!image.hasRelocations && !image.isSwift && image.splitFunction == nil)
  }

  /// LLVM outlines functions that have the names which parts had before gcc 9.
  @Test(arguments: [
    ("f.cold", "clang version 21.0.0\0GCC: (Debian 12.2.0-14+deb12u1) 12.2.0\0", true),
    ("f.cold.1", "clang version 21.0.0\0GCC: (Debian 12.2.0-14+deb12u1) 12.2.0\0", false),
    ("f.cold.1", "GCC: (Ubuntu 12.3.0-1) 12.3.0\0GCC: (Ubuntu 8.4.0-3) 8.4.0\0", true),
    ("f.cold.1", "GCC: (GNU) unknown\0", true), ("f.cold.1", "", true),
    ("f.cold.1", nil, true), ("f.cold1", "GCC: (GNU) 8.4.0\0", false),
  ]) func aPartThatGCCHasSplitOffIsNamed(
    symbol: String, compilers: String?, isPart: Bool
  ) throws {
    var writer = ELFWriter()
    writer.addText()
    writer.addSymbols([.init(symbol, info: 0x02, value: 0x1010, size: 8)])
    if let compilers {
      writer.add(.init(".comment", type: 1, contents: Array(compilers.utf8)))
    }
    let image = try BOLTImage(of: FileBytes(writer.bytes()))
    #expect(image.splitFunction?.description == (isPart ? symbol : nil))
  }

  @Test func sectionsTellWhatBOLTCanDo() throws {
    var writer = ELFWriter()
    writer.addText()
    writer.addSymbols([.init("main", value: 0x1010)])
    for name in [".rela.text", "swift5_types", ".debug_info", ".note.bolt_info"] {
      writer.add(.init(name, type: 1, contents: [0]))
    }
    writer.machine = 183
    let image = try BOLTImage(of: FileBytes(writer.bytes()))
    #expect(image.hasRelocations && image.isSwift && image.hasDebugInformation && image.isOutput)
    #expect(image.smallestInstruction == 4)
  }

  /// Each name is counted once for each symbol, however many share its bytes.
  @Test func aThousandNamesakesHaveNumbersOfTheirOwn() throws {
    let symbols = (0..<1000).map {
      ELFWriter.Symbol("same", info: 0x02, value: 0x1010 + UInt64($0), size: 1)
    }
    let image = try image(symbols)
    #expect(name(image, 0x1010) == "same/1" && name(image, 0x1010 + 999) == "same/1000")
  }

  @Test func aFileWithoutSymbolsIsRefused() {
    #expect(throws: ParseError.self) { try BOLTImage(of: FileBytes(Array("text".utf8))) }
  }
}
