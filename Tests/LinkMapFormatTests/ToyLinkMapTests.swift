import ByteReading
import ImageModel
import LinkMapFormat
import Symbolication
import TestSupport
import Testing

/// To add a grammar takes one file and one entry in a list: the rest of the tool need not know the grammar.
@Suite struct ToyLinkMapTests {
  private static let grammars = LinkMapGrammar.all + [.toy]
  private static let map = """
    toy linker
    00001000 00000040 section  .text
    00001000 00000010 function main
    00001010 00000020 function a name
    00002000 00000008 section  .data
    00002000 00000008 function table

    """

  @Test func aMapOfItIsRecognizedAndRead() throws {
    let map = try LinkMap(parsing: FileBytes(Array(Self.map.utf8)), among: Self.grammars)
    #expect(map.grammar == .toy)
    #expect(map.sections.map { map.string($0.name) } == [".text", ".data"])
    #expect(map.symbols.map { map.string($0.name) } == ["main", "a name", "table"])
  }

  @Test func itsFunctionsComeIntoALayout() throws {
    let map = try LinkMap(parsing: FileBytes(Array(Self.map.utf8)), among: Self.grammars)
    var diagnostics: [Diagnostic] = []
    let layout = Layout(map, diagnostics: &diagnostics)
    let functions = layout.functions.map {
      "\($0.address) \($0.size ?? 0) \(layout.name(of: $0))"
    }
    #expect(functions == ["0x1000 16 main", "0x1010 32 a name"])
    #expect(layout.sections.map(\.isExecutable) == [true, false])
    #expect(diagnostics.isEmpty)
  }

  @Test(arguments: linkMapFixtures) func mapsOfOtherLinkersStayTheirs(_ name: String) throws {
    let bytes = FileBytes(try fixture("linkmap/\(name)/input.map"))
    #expect(
      try LinkMapGrammar(of: bytes, among: [.toy] + LinkMapGrammar.all) == LinkMapGrammar(of: bytes)
    )
  }

  @Test(arguments: [
    ("toy linker\n00001000 0000004 section  .text\n", 2),
    ("toy linker\n00001000 00000040 function f\n", 2),
    ("toy linker\n00001000 00000040 section  .text\n00001000 00000040 variable f\n", 3),
  ])
  func aLineThatItDoesNotKnowIsNamed(text: String, line: Int) {
    let error = #expect(throws: ParseError.self) {
      try LinkMap(parsing: FileBytes(Array(text.utf8)), among: Self.grammars)
    }
    #expect(error?.line == line)
  }

  @Test func anErrorListsTheGrammarsThatAreTried() {
    let error = #expect(throws: ParseError.self) {
      try LinkMapGrammar(of: FileBytes(Array("hello\n".utf8)), among: [.gold, .toy])
    }
    #expect(
      error?.description
        == "unsupported link map: found 'hello', expected a map of gold or toy (at line 1)")
  }
}
