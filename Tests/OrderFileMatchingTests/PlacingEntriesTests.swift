import Addresses
import ImageModel
import ModelSamples
import OrderFileFormat
import OrderFileMatching
import Symbolication
import TestSupport
import Testing

@Suite struct PlacingEntriesTests {
  private func placing(
    _ symbols: [String], _ order: [Int], for architecture: Architecture? = nil,
    by linker: OrderFileDialect = .ld64LLD
  ) -> PlacingEntries {
    PlacingEntries(
      of: order.map { Part($0) }, in: SymbolMap(machOLayout(symbols)), for: linker,
      architecture: architecture)
  }

  /// The entries as lines of an order file, without the comment.
  private func lines(_ placing: PlacingEntries) -> [String] {
    let written = OrderFileDialect.ld64LLD.write(placing.entries)
    return String(decoding: written.bytes, as: UTF8.self).split(separator: "\n").dropFirst()
      .map(String.init)
  }

  @Test(
    arguments: [
      // If only one function has the name, the entry states no object file, even if the object file is known.
      (["a.o|_a", "b.o|_b"], [1, 0], ["_b", "_a"]),
      (["_f", "-[Foo bar:]"], [1, 0], ["-[Foo bar:]", "_f"]),
      // If another function has the same name, ordered or not, the entry states the object file.
      (["a.o|_t", "b.o|_t", "b.o|_b"], [1, 2], ["b.o:_t", "_b"]),
      (["a.o|_t", "l.a(b.o)|_t"], [1, 0], ["l.a(b.o):_t", "a.o:_t"]),
      (["_t", "_t"], [1], ["_t"]), (["_t", "_t"], [1, 0], ["_t"]),
      (["a.o|_t", "_t"], [0, 1], ["a.o:_t", "_t"]), (["lto.tmp|_t", "a.o|_t"], [0], ["_t"]),
      (["a.o|_t", "=b.o|_t", "c.o|_t"], [0, 1], ["a.o:_t", "b.o:_t"]),
      // Two functions at one address are one body, so the entry states no object file.
      (["a.o|_t", "=b.o|_t", "_b"], [0, 1], ["_t"]),
      // Functions that ThinLTO has made global, with the names that each linker gives them.
      (["_f.llvm.12", "_g"], [0, 1], ["_f.llvm.12", "_f", "_g"]),
      (["_f.__uniq.1"], [0], ["_f.__uniq.1"]),
      (["_f.__uniq.1.llvm.2"], [0], ["_f.__uniq.1.llvm.2", "_f.__uniq.1"]),
      (["_f.llvm.1.llvm.2"], [0], ["_f.llvm.1.llvm.2", "_f.llvm.1"]), (["_f.1"], [0], ["_f.1"]),
      (["_f.cold.1"], [0], ["_f.cold.1"]),
    ] as [([String], [Int], [String])])
  func linesNameObjectFilesWhereTheyMust(
    symbols: [String], order: [Int], expected: [String]
  ) {
    #expect(lines(placing(symbols, order)) == expected)
    #expect(lines(placing(symbols, order, by: .ld64)) == expected)
  }

  /// LLD 21 and later shorten the names in lines and in symbols. ld64 shortens only the names in
  /// symbols.
  @Test(
    arguments: [
      (
        ["a.o|_f.llvm.1", "b.o|_f.llvm.2"], [1], ["b.o:_f.llvm.2", "b.o:_f"],
        ["b.o:_f.llvm.2", "b.o:_f"]
      ),
      (
        ["a.o|_f", "b.o|_f.llvm.2"], [1, 0], ["b.o:_f.llvm.2", "b.o:_f", "a.o:_f"],
        ["b.o:_f.llvm.2", "b.o:_f", "a.o:_f"]
      ),
      (["a.o|_f.__uniq.1", "b.o|_f.__uniq.2"], [1], ["b.o:_f.__uniq.2"], ["_f.__uniq.2"]),
      (
        ["a.o|_f.__uniq.1", "b.o|_f.__uniq.1.llvm.2"], [0], ["a.o:_f.__uniq.1"], ["a.o:_f.__uniq.1"]
      ),
      (["a.o|_f.llvm.1", "b.o|_g.llvm.1"], [1], ["_g.llvm.1", "_g"], ["_g.llvm.1", "_g"]),
    ] as [([String], [Int], [String], [String])])
  func namesThatALinkerShortensAlikeAreNamesakes(
    symbols: [String], order: [Int], byLLD: [String], byLD64: [String]
  ) {
    #expect(lines(placing(symbols, order)) == byLLD)
    #expect(lines(placing(symbols, order, by: .ld64)) == byLD64)
    let unknown = symbols.map { String($0.drop { $0 != "|" }.dropFirst()) }
    let isShared = byLLD[0].contains(":")
    #expect(placing(unknown, order).ambiguousNames == (isShared ? ["_f"] : []))
  }

  /// ld-prime takes a name once, for all its functions.
  @Test(
    arguments: [
      (["a.o|_t", "b.o|_t", "b.o|_b"], [1, 2], ["_t", "_b"]),
      (["a.o|_t", "l.a(b.o)|_t", "_b"], [1, 2, 0], ["_t", "_b"]),
      (["m.o|_t", "m.o|_t"], [1], ["_t"]),
    ] as [([String], [Int], [String])])
  func forTheNewAppleLinkerNoLineNamesAnObjectFile(
    symbols: [String], order: [Int], expected: [String]
  ) {
    let placing = placing(symbols, order, by: .ldPrime)
    #expect(lines(placing) == expected)
    #expect(placing.ambiguousNames.isEmpty && placing.unmoved.isEmpty)
  }

  /// The linker may not know the object file that the compiler wrote: `ld -r` may have joined it with others.
  @Test(arguments: [OrderFileDialect.ldPrime, .ld64, .ld64LLD])
  func aDebugMapsObjectFileIsInNoLine(linker: OrderFileDialect) {
    let functions = [("a.o", "_t", 0x400), ("b.o", "_t", 0x410)].map { file, name, address in
      SampleFunction(
        name: SymbolName(name), address: UInt64(address), compiledObjectFile: SymbolName(file))
    }
    let layout = sampleLayout(functions, format: .machO)
    let placing = PlacingEntries(of: [Part(1)], in: SymbolMap(layout), for: linker)
    #expect(lines(placing) == ["_t"])
    #expect(placing.ambiguousNames == (linker == .ldPrime ? [] : ["_t"]))
  }

  /// `ld -r` puts several functions of one name into one object file: ld64 moves the first of these.
  @Test(
    arguments: [
      (["m.o|_t", "m.o|_t"], [0, 1], [1]), (["m.o|_t", "m.o|_t"], [1], [1]),
      (["m.o|_t", "m.o|_t"], [0], []), (["m.o|_t", "m.o|_t", "m.o|_t"], [2, 1, 0], [2, 1]),
      (["m.o|_t", "n.o|_t", "m.o|_t", "n.o|_t"], [2, 1], [2]),
      (["a.o|_t", "b.o|_t"], [0, 1], []), (["m.o|_t", "=m.o|_t"], [0, 1], []),
      (["_t", "_t"], [0, 1], [1]), (["m.o|_t", "m.o|_t", "m.o|_u"], [2], []),
      // Another name of the same body moves it.
      (["_t", "_t", "=_u"], [1, 2], []), (["_t", "_t", "=_u"], [2, 1], []),
    ] as [([String], [Int], [Int])])
  func ofNamesakesInOneObjectFileTheClassicLinkerMovesTheFirst(
    symbols: [String], order: [Int], unmoved: [Int]
  ) {
    #expect(placing(symbols, order, by: .ld64).unmoved == unmoved)
    #expect(placing(symbols, order, by: .ld64LLD).unmoved == [])
  }

  @Test func manyNamesakesCostNoSquares() {
    let growth = costGrowth(from: 2000, by: 8) { count in
      let symbols = [String](repeating: "m.o|_t", count: count)
      let placing = placing(symbols, Array(0..<count), by: .ld64)
      #expect(placing.unmoved.count == count - 1)
    }
    #expect(growth < 24, "\(growth) times for 8 times as many")
  }

  @Test(arguments: [
    ("arm64", "arm64:_f"), ("arm64e", "arm64:_f"), ("x86_64", "x86_64:_f"),
    ("x86_64h", "x86_64:_f"),
  ])
  func anArchitectureStandsInFrontIfItIsGiven(architecture: String, expected: String) {
    #expect(lines(placing(["_f"], [0], for: Architecture(architecture))) == [expected])
  }

  @Test func anArchitectureStandsBeforeTheObjectFile() {
    #expect(lines(placing(["a.o|_t", "b.o|_t"], [1], for: .arm64)) == ["arm64:b.o:_t"])
  }

  @Test(
    arguments: [
      (["_OUTLINED_FUNCTION_0", "_f"], [0, 1], ["_f"], ["_OUTLINED_FUNCTION_0"]),
      (["ltmp0", "=_f"], [0, 1], ["_f"], []), (["l_f", "L_f"], [0, 1], [], ["l_f", "L_f"]),
      (["_f.thunk.0", "_f"], [0, 1], ["_f"], ["_f.thunk.0"]),
      (["_f.island", "_f.island.12"], [0, 1], [], ["_f.island", "_f.island.12"]),
      (["_thunk.0", "_l"], [0, 1], ["_thunk.0", "_l"], []),
    ] as [([String], [Int], [String], [String])])
  func whatIsNoFunctionOfTheProgramHasNoEntry(
    symbols: [String], order: [Int], expected: [String], unnamable: [String]
  ) {
    let placing = placing(symbols, order)
    #expect(lines(placing) == expected)
    #expect(placing.unnamable.map(\.description) == unnamable)
  }

  @Test(
    arguments: [
      (["_t", "_t"], [1], ["_t"]), (["a.o|_t", "_t"], [0], []),
      (["a.o|_t", "b.o|_t"], [0], []), (["a.o|_t", "b.o|_t"], [0, 1], []),
      (["u.o|_t", "u.o|_t"], [0, 1], []), (["_t", "=_t"], [0], []),
      (["_z", "_z", "_a", "_a"], [0, 2], ["_z", "_a"]),
      (["a.o|_t", "=b.o|_t", "c.o|_t"], [0, 1], []),
    ] as [([String], [Int], [String])])
  func namesThatStandForSeveralFunctionsAreTold(
    symbols: [String], order: [Int], ambiguous: [String]
  ) {
    let placing = placing(symbols, order)
    #expect(placing.ambiguousNames.map(\.description) == ambiguous)
  }

  @Test func aPartOfAFunctionHasNoNameInMachOImages() {
    let blocks = [FunctionBlock(offset: 0, size: 8)]
    let placing = PlacingEntries(
      of: [Part(0, blocks: blocks), Part(1)], in: SymbolMap(machOLayout(["_f", "_g"])), for: .ld64)
    #expect(placing.entries.map(\.symbol) == [Array("_g".utf8)])
    #expect(placing.unnamable == ["_f"])
  }

  @Test(arguments: [OrderFileDialect.lld, .gold, .gnuLD])
  func thePartWithTheEntryHasTheFunctionsNameAndTheRestIsItsColdPart(dialect: OrderFileDialect) {
    let parts = [0, 8].map { Part(0, blocks: [FunctionBlock(offset: $0, size: 8)]) }
    let placing = PlacingEntries(
      of: [parts[0], Part(1), parts[1]], in: SymbolMap(elfLayout(["f", "g"])), for: dialect)
    func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
    if dialect.namesSections {
      let sections = placing.entries.map { text($0.section) }
      #expect(sections.contains(".text.hot.f") && sections.last == ".text.split.f")
    } else {
      #expect(placing.entries.map { text($0.symbol) } == ["f", "g", "f.cold"])
    }
    #expect(placing.unnamable.isEmpty)
    #expect(dialect.write(placing.entries).unwritable.isEmpty)
  }

  /// The dialects for ELF have neither object files nor architectures.
  @Test func otherDialectsNameSymbolsAlone() {
    let placing = PlacingEntries(
      of: [Part(0), Part(1), Part(2)],
      in: SymbolMap(elfLayout(["twin", "lz", "f.llvm.1", "twin"])), for: .lld)
    #expect(
      placing.entries.map { String(decoding: $0.symbol, as: UTF8.self) }
        == ["twin", "lz", "f.llvm.1"])
    #expect(placing.ambiguousNames.isEmpty && placing.unnamable.isEmpty)
  }

  @Test func aLinkMapsOriginsAreAddedByAddressAndName() {
    let image = machOLayout(["_a", "_t", "_t", "=_u", "_only"])
    let map = machOLayout(["a.o|_a", "a.o|_t", "b.o|_t", "=c.o|_u", "_other"])
    let joined = image.addingOrigins(of: map)
    let files = joined.functions.map { $0.objectFile.map { joined.names.name($0).description } }
    #expect(joined.names(0..<5) == ["_a", "_t", "_t", "_u", "_only"])
    #expect(files == ["a.o", "a.o", "b.o", "c.o", nil])
  }

  @Test func foldedFunctionsOfOneNameKeepTheirObjectFiles() {
    let joined = machOLayout(["_t", "=_t", "_t"]).addingOrigins(
      of: machOLayout(["a.o|_t", "=b.o|_t", "c.o|_t"]))
    let files = joined.functions.map { $0.objectFile.map { joined.names.name($0).description } }
    #expect(Set(files.prefix(2)) == ["a.o", "b.o"] && files[2] == "c.o")
  }

  @Test func initializersAreToldByTheirNames() {
    let layout = machOLayout([
      "_main", "__GLOBAL__sub_I_b.cpp", "+[Foo load]", "+[Foo loadAll]", "___cxx_global_var_init.2",
      "-[Foo load]", "+[Foo(Bar) load]", "=+[Twin load]", "__GLOBAL__I_000101", "_load",
      "__GLOBAL__sub_D_b.cpp",
    ])
    let names = layout.initializersByName.map { address in
      layout.functions(at: address).map { layout.name(of: layout.functions[$0]).description }
    }
    #expect(
      names == [
        ["+[Foo load]"], ["+[Foo(Bar) load]", "+[Twin load]"], ["__GLOBAL__sub_I_b.cpp"],
        ["___cxx_global_var_init.2"], ["__GLOBAL__I_000101"],
      ])
  }

  @Test func aSectionOfTheCRuntimeHasOneEntry() {
    let layout = elfLayout(["_start", "frame_dummy", "main", "deregister_tm_clones", "_f"])
    let placing = PlacingEntries(
      of: (0...4).map { Part($0) }, in: SymbolMap(layout), for: .lld)
    #expect(
      placing.entries.map { String(decoding: $0.symbol, as: UTF8.self) }
        == ["_start", "frame_dummy", "main", "_f"])
  }

  /// `caml_alloc` is in C. Only the two bounds of an OCaml program make its functions functions of OCaml.
  @Test(
    arguments: [("__", "_1"), (".", ".f_1"), ("$", "$f")].flatMap { name in
      [OrderFileDialect.lld, .gold, .gnuLD].map { (name.0, name.1, $0) }
    })
  func theFunctionsOfOCamlAreBetweenTheBoundsOfItsCode(
    separator: String, ending: String, dialect: OrderFileDialect
  ) {
    let function = "camlA\(separator)f\(ending)"
    let bounds = ["begin", "end"].map { "camlA\(separator)code_\($0)" }
    let hot = ["begin", "end"].map { "caml_hot\(separator)code_\($0)" }
    let symbols =
      ["main", bounds[0], function, "camlA\(separator)g", bounds[1], "caml_alloc"] + hot
    func placed(_ symbols: [String]) -> [OrderFileEntry] {
      let layout = elfLayout(symbols)
      let parts = ["main", "caml_alloc", function].map { Part(symbols.firstIndex(of: $0)!) }
      return PlacingEntries(of: parts, in: SymbolMap(layout), for: dialect).entries
    }
    func names(_ entries: [OrderFileEntry]) -> [String] {
      entries.map { String(decoding: $0.symbol, as: UTF8.self) }
    }
    let entries = placed(symbols)
    #expect(names(Array(entries.prefix(4))) == [hot[0], function, hot[1], "main"])
    #expect(names(entries).last == "caml_alloc")
    #expect(entries[1].section == Array(".text.caml.\(function)".utf8))
    #expect(dialect.write(entries).unwritable.isEmpty)
    let ordinary = placed(symbols.filter { !hot.contains($0) })
    #expect(!names(ordinary).contains(hot[0]) && names(ordinary).last == function)
  }

  @Test(arguments: [OrderFileDialect.gold, .gnuLD])
  func whereSectionsAreNamedTheCRuntimeHasNoEntry(dialect: OrderFileDialect) {
    let layout = elfLayout(["_start", "frame_dummy", "main", "deregister_tm_clones"])
    let placing = PlacingEntries(of: (0...3).map { Part($0) }, in: SymbolMap(layout), for: dialect)
    #expect(Set(placing.entries.map { String(decoding: $0.symbol, as: UTF8.self) }) == ["main"])
  }

  @Test(arguments: [".init", ".fini"])
  func whatTheLinkerPutsTogetherHasNoEntry(section: String) {
    let text = elfLayout(["_init", "main"])
    let sections = [
      Section(name: SymbolName(section), range: text.sections[0].range, isExecutable: true)
    ]
    let layout = Layout(
      imageFormat: .elf, sections: sections, functions: text.functions, names: text.names)
    let placing = PlacingEntries(of: [Part(0), Part(1)], in: SymbolMap(layout), for: .lld)
    #expect(placing.entries.isEmpty)
  }

  @Test func theImageFormatIsTheSections() {
    #expect(machOLayout(["_f"]).imageFormat == .machO)
    #expect(elfLayout(["f"]).imageFormat == .elf)
  }
}
