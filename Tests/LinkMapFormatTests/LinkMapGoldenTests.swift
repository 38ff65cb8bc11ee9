import ByteReading
import LinkMapFormat
import TestSupport
import Testing

@Suite struct LinkMapGoldenTests {
  @Test(arguments: linkMapFixtures) func readsAsRecorded(_ name: String) throws {
    let map = try LinkMap(parsing: FileBytes(try fixture("linkmap/\(name)/input.map")))
    try expectGolden(map.dump(), "linkmap/\(name)/expected.txt")
  }

  /// As in a map that went through Windows or a version control system.
  @Test(arguments: linkMapFixtures.filter { !$0.hasSuffix("newline") })
  func carriageReturnsAtLineEndsChangeNothing(_ name: String) throws {
    let text = try fixture("linkmap/\(name)/input.map")
    let map = try LinkMap(parsing: FileBytes(text))
    let withReturns = try LinkMap(parsing: FileBytes(withCarriageReturns(text)))
    #expect(withReturns.dump() == map.dump())
    #expect(withReturns.architecture.map(withReturns.string) == map.architecture.map(map.string))
  }

  @Test func everyGrammarHasARealMap() throws {
    let grammars = try linkMapFixtures.map { name in
      try LinkMapGrammar(of: FileBytes(try fixture("linkmap/\(name)/input.map")))
    }
    #expect(Set(grammars) == Set(LinkMapGrammar.all))
  }
}

extension LinkMap {
  /// One line for each entry: address, size and name, of an input section with its file before it.
  func dump() -> String {
    var lines = ["linker \(grammar.name)"]
    func add(_ indent: String, _ kind: String, _ start: UInt64, _ size: UInt64, _ name: String) {
      let numbers = "0x\(String(start, radix: 16)) 0x\(String(size, radix: 16))"
      lines.append("\(indent)\(kind) \(numbers) \(name)")
    }
    func text(_ text: Text) -> String { escaped(bytes.copy(text.indices)) }
    if let architecture { lines.append("architecture \(text(architecture))") }
    let inputs = Dictionary(grouping: inputSections.indices) { inputSections[$0].section }
    for (index, section) in sections.enumerated() {
      add("", "section", section.range.start.rawValue, section.range.size, text(section.name))
      for index in inputs[UInt32(index)] ?? [] {
        let input = inputSections[index]
        let name = "\(text(input.file)):(\(text(input.name)))"
        add("  ", "input", input.range.start.rawValue, input.range.size, name)
        for symbol in symbols[symbolIndexes(ofInputSection: index)] {
          add("    ", "symbol", symbol.address.rawValue, symbol.size, text(symbol.name))
        }
      }
    }
    lines += discardedSections.map { "discarded section \(text($0))" }
    lines += discardedSymbols.map { "discarded symbol \(text($0))" }
    lines.append("input sections \(inputSections.count), symbols \(symbols.count)")
    return lines.joined(separator: "\n") + "\n"
  }
}
