import ByteReading
import LinkMapFormat
import TestSupport
import Testing

@Suite struct LinkMapGoldenTests {
  @Test(arguments: elfLinkMapFixtures) func readsAsRecorded(_ name: String) throws {
    let map = try LinkMap(parsing: FileBytes(try fixture("linkmap/\(name)/input.map")))
    try expectGolden(map.dump(), "linkmap/\(name)/expected.txt")
  }
}

extension LinkMap {
  /// One line for each entry: address, size and name, of an input section with its file before it.
  func dump() -> String {
    var lines = ["linker \(linker.rawValue)"]
    func add(_ indent: String, _ kind: String, _ start: UInt64, _ size: UInt64, _ name: String) {
      let numbers = "0x\(String(start, radix: 16)) 0x\(String(size, radix: 16))"
      lines.append("\(indent)\(kind) \(numbers) \(name)")
    }
    func text(_ text: Text) -> String { escaped(bytes.copy(text.indices)) }
    func dumpInputSection(_ index: Int) {
      let input = inputSections[index]
      let name = "\(text(input.file)):(\(text(input.name)))"
      add("  ", "input", input.range.start.rawValue, input.range.size, name)
      for symbol in symbols[symbolIndexes(ofInputSection: index)] {
        add("    ", "symbol", symbol.address.rawValue, symbol.size, text(symbol.name))
      }
    }
    var next = 0
    for (index, section) in sections.enumerated() {
      add("", "section", section.range.start.rawValue, section.range.size, text(section.name))
      while next < inputSections.count, inputSections[next].section == index {
        dumpInputSection(next)
        next += 1
      }
    }
    lines.append("input sections \(inputSections.count), symbols \(symbols.count)")
    return lines.joined(separator: "\n") + "\n"
  }
}
