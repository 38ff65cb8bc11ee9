import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite(.needs(.appleSDK, "llvm-nm-19")) struct MachOSymbolTableTests {
  /// The words in the output of `llvm-nm -m` for bits that this reader does not read.
  static let unread = ["[referenced dynamically] ", "[no dead strip] "]

  @Test(arguments: AppleFile.all)
  func symbolsAreWhatNmReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let found = Self.lines(file)
    let expected = try judge("llvm-nm-19", ["-m", "-p", path]).split(separator: "\n").map { line in
      var line = String(line)
      for words in Self.unread { line.replace(words, with: "") }
      return line.replacing(#/ \(from .*\)$/#, with: "")
    }
    #expect(found == expected)
    #expect(found.count > 2)
    withExtendedLifetime(folder) {}
  }

  static func lines(_ file: MachOFile) -> [String] {
    var lines: [String] = []
    let table = try? file.symbolTable()
    table?.forEachSymbol { symbol in
      if let table { lines.append(line(symbol, table, file)) }
    }
    return lines
  }

  /// Formats a symbol as `llvm-nm -m` writes it: `0000000100004004 (__TEXT,__text) external _inner`.
  private static func line(
    _ symbol: MachOSymbol, _ table: MachOSymbolTable, _ file: MachOFile
  ) -> String {
    let name = table.names.name(at: symbol.nameOffset).map { file.bytes.text($0.indices) } ?? "?"
    var words: [String] = []
    switch symbol.type.kind {
    case .inSection:
      let section = file.sections[Int(symbol.sectionNumber) - 1]
      words.append(hexadecimalPadded(symbol.value.rawValue, 16))
      words.append("(\(String(decoding: section.name, as: UTF8.self)))")
    case .absolute: words += [hexadecimalPadded(symbol.value.rawValue, 16), "(absolute)"]
    default: words += ["                ", "(undefined)"]
    }
    #expect(symbol.isInSection == (symbol.type.kind == .inSection))
    if symbol.type.isExternal {
      if symbol.isInSection, symbol.description.contains(.weakDefinition) { words.append("weak") }
      words.append(symbol.type.isPrivateExternal ? "private external" : "external")
    } else {
      words.append("non-external")
      if symbol.type.isPrivateExternal { words.append("(was a private external)") }
    }
    if symbol.isInSection, file.header.type == .object {
      if symbol.description.contains(.alternateEntry) { words.append("[alt entry]") }
      if symbol.description.contains(.cold) { words.append("[cold func]") }
    }
    return (words + [name]).joined(separator: " ")
  }

  @Test func entriesForDebuggersAreThereAndToldApart() throws {
    let input = AppleFile.all[0]
    let (path, folder) = try input.write()
    let table = try #require(
      try MachOFile(parsing: FileBytes(try input.bytes())).symbolTable())
    let debugging = (0..<table.count).map { table[$0] }.filter { $0.type.isDebugging }
    let lines = try judge("llvm-nm-19", ["-a", "-p", path]).split(separator: "\n")
    #expect(lines.count == table.count)
    #expect(debugging.count == lines.count { $0.dropFirst(17).hasPrefix("-") })
    #expect(debugging.count > 20)
    withExtendedLifetime(folder) {}
  }

  @Test func aSecondEntryIsMarkedInAnObject() throws {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    let text = ".globl _a\n_a:\n nop\n.alt_entry _b\n_b:\n nop\n.subsections_via_symbols\n"
    try workshop.write(text.utf8, "two.s")
    try sdk.compile("two.s", to: "two.o", for: .iOS, in: workshop)
    let file = try MachOFile(
      parsing: FileBytes(path: workshop.folder.appendingPathComponent("two.o").path))
    let table = try #require(try file.symbolTable())
    var marked: [String] = []
    table.forEachSymbol { symbol in
      if symbol.description.contains(.alternateEntry),
        let name = table.names.name(at: symbol.nameOffset)
      {
        marked.append(file.bytes.text(name.indices))
      }
    }
    #expect(marked == ["_b"])
    #expect(file.header.flags.contains(.subsectionsViaSymbols))
  }
}
