import ByteReading
import LinkMapFormat
import TestSupport
import Testing

@Suite struct LinkMapGoldenTests {
  @Test(arguments: linkMapFixtures) func readsAsRecorded(_ name: String) throws {
    let map = try LinkMap(parsing: FileBytes(try fixture("linkmap/\(name)/input.map")))
    try expectGolden(map.dump(), "linkmap/\(name)/expected.txt")
  }

  /// Windows or a version control system may have changed the line ends of a map.
  @Test(arguments: linkMapFixtures.filter { !$0.hasSuffix("newline") })
  func carriageReturnsAtLineEndsChangeNothing(_ name: String) throws {
    let text = try fixture("linkmap/\(name)/input.map")
    let map = try LinkMap(parsing: FileBytes(text))
    let withReturns = try LinkMap(parsing: FileBytes(withCarriageReturns(text)))
    #expect(withReturns.dump() == map.dump())
    #expect(withReturns.architecture.map(withReturns.string) == map.architecture.map(map.string))
  }

  /// Linkers translate the titles of a map's parts, or some of them.
  @Test(arguments: linkMapFixtures.filter { $0.hasPrefix("bfd") || $0.hasPrefix("gold") })
  func titlesInAnotherLanguageChangeNothing(_ name: String) throws {
    let english = try fixture("linkmap/\(name)/input.map")
    let expected = try LinkMap(parsing: FileBytes(english)).dump()
    var lines = english.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let titles = lines.indices.filter { index in
      ["Archive member", "Merging program", "Discarded input", "Memory ", "Linker script"]
        .contains { lines[index].starts(with: $0.utf8) }
    }
    #expect(titles.count >= 2)
    for title in titles {
      var one = lines
      one[title] = ArraySlice("Карта пам’яті".utf8)
      let map = try LinkMap(parsing: FileBytes(Array(one.joined(separator: "\n".utf8))))
      #expect(map.dump() == expected, "without \(String(decoding: lines[title], as: UTF8.self))")
    }
    for title in titles { lines[title] = ArraySlice("舍弃的输入节".utf8) }
    let map = try LinkMap(parsing: FileBytes(Array(lines.joined(separator: "\n".utf8))))
    #expect(map.dump() == expected)
  }

  @Test func everyGrammarHasARealMap() throws {
    let grammars = try linkMapFixtures.map { name in
      try LinkMapGrammar(of: FileBytes(try fixture("linkmap/\(name)/input.map")))
    }
    #expect(Set(grammars) == Set(LinkMapGrammar.all))
  }
}

extension LinkMap {
  /// One line for each entry: its address, size and name. The file of an input section precedes its line.
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
