import ByteReading
import ImageModel
import ModelSamples
import OrderFileFormat
import OrderFileMatching
import TestSupport
import Testing

@Suite struct LD64OrderCheckTests {
  /// Whether object files have the entries' functions, and whether the layout lists what it lacks.
  @Test(arguments: [true, false]) func linesForNamesakesCostNoSquares(isFound: Bool) throws {
    let growth = costGrowth(
      from: 1000, by: 4,
      of: { count in
        let lines = (0..<count).map { "a\($0).o:_t\n" }.joined()
        var layout = machOLayout((0..<count).map { isFound ? "a\($0).o|_t" : "_f\($0)" })
        if !isFound, let name = layout.functions.first?.name {
          layout = Layout(
            imageFormat: .machO, sections: layout.sections, functions: layout.functions,
            names: layout.names,
            absentSymbols: (0..<count).map { _ in AbsentSymbol(name: name, reason: .discarded) })
        }
        let order = isFound ? lines : (0..<count).map { "a\($0).o:_f0\n" }.joined()
        return (order: try? OrderFileDialect.ld64.read(FileBytes(Array(order.utf8))), layout)
      },
      { order, layout in
        guard let order else { return }
        let check = OrderFileCheck(order, layout: layout, architecture: .arm64)
        #expect(check.entries == order.entries.count)
      })
    #expect(growth < 10, "\(growth) times for 4 times as many")
  }

  private func check(
    _ order: String, _ symbols: [String], for architecture: Architecture? = .arm64,
    by linker: OrderFileDialect = .ld64LLD
  ) throws -> OrderFileCheck {
    let file = try linker.read(FileBytes(Array(order.utf8)))
    return OrderFileCheck(
      file, layout: machOLayout(symbols), architecture: architecture)
  }

  /// The numbers of entries, of present ones, and of those in order; the missing ones in words.
  @Test(
    arguments: [
      ("_a\n_b\n", ["_a", "_b"], [2, 2, 2], []),
      // An object file chooses among namesakes where the layout knows it.
      ("b.o:_t\n_a\n", ["b.o|_t", "a.o|_a", "a.o|_t"], [2, 2, 2], []),
      ("b.o:_t\n_a\n", ["a.o|_t", "a.o|_a", "b.o|_t"], [2, 2, 1], []),
      ("b.o:_t\n_a\na.o:_t\n", ["b.o|_t", "c.o|_a", "a.o|_t"], [3, 3, 3], []),
      (
        "c.o:_t\n_a\n", ["a.o|_t", "a.o|_a"], [2, 1, 1], ["no such symbol in that object file: _t"]
      ),
      ("c.o:_q\n_a\n", ["a.o|_t", "a.o|_a"], [2, 1, 1], ["no such symbol: _q"]),
      // Without an object file a line moves all functions with its name. A function that several lines name is placed
      // by the first of them.
      ("_t\n_a\n", ["a.o|_t", "b.o|_t", "a.o|_a"], [2, 2, 2], []),
      ("_t\n_a\nb.o:_t\n", ["a.o|_t", "b.o|_t", "a.o|_a"], [3, 3, 3], []),
      ("b.o:_t\n_a\n_t\n", ["b.o|_t", "a.o|_a", "a.o|_t"], [3, 3, 3], []),
      // If the layout has no object files, the check assumes that the linker followed the lines.
      ("b.o:_t\n_a\na.o:_t\n", ["_t", "_a", "_t"], [3, 3, 3], []),
      ("b.o:_t\n_a\n", ["_t", "_a", "_t"], [2, 2, 2], []),
      ("b.o:_t\na.o:_t\n", ["_t"], [2, 1, 1], ["no such symbol: _t"]),
      // Functions that ThinLTO has made global, as each linker spells their names.
      ("_f.llvm.1\n_f\n_g\n", ["_f.llvm.1", "_g"], [3, 3, 3], []),
      ("_f\n_g\n", ["_f.llvm.1", "_g"], [2, 2, 2], []),
      ("_f\n_g\n", ["_f.__uniq.3.llvm.1", "_g"], [2, 2, 2], []),
      ("_f.llvm.9\n_g\n", ["_f.llvm.1", "_g"], [2, 2, 2], []),
      ("_f.llvm.1\n_f\n_g\n_f.llvm.2\n", ["_f.llvm.1", "_g", "_f.llvm.2"], [4, 4, 4], []),
      ("_f.cold.1\n_g\n", ["_f", "_g"], [2, 1, 1], ["no such symbol: _f.cold.1"]),
      // The first of equal lines counts. A line for another object file is not equal.
      ("_a\n_b\n_a\n", ["_a", "_b"], [3, 2, 2], ["duplicate ordered symbol: _a"]),
      ("a.o:_t\nb.o:_t\n", ["a.o|_t", "b.o|_t"], [2, 2, 2], []),
      // Lines for other architectures and for literals do not count.
      ("x86_64:_q\narm64:_a\n_b\nCSTR;12\n\"text\"\n", ["_a", "_b"], [2, 2, 2], []),
      ("arm64:_a\nx86_64:_b\nx86_64:_a\n_b\n", ["_a", "_b"], [2, 2, 2], []),
      ("-[Foo bar:with:]\n+[Foo new]\n", ["-[Foo bar:with:]", "+[Foo new]"], [2, 2, 2], []),
    ] as [(String, [String], [Int], [String])])
  func linesAreFollowedAsTheLinkersDo(
    order: String, symbols: [String], counts: [Int], missing: [String]
  ) throws {
    let result = try check(order, symbols)
    #expect([result.entries, result.present, result.inOrder] == counts)
    #expect(result.missing.map(\.description) == missing)
  }

  /// Entries, present, in order.
  @Test(
    arguments: [
      // The classic linker moves one function for a line, the first in the object file.
      (.ld64, "_t\n_a\n", ["b.o|_t", "_a", "c.o|_t"], [2, 2, 2]),
      (.ld64LLD, "_t\n_a\n", ["b.o|_t", "_a", "c.o|_t"], [2, 2, 1]),
      (.ld64, "m.o:_t\n_a\n", ["m.o|_t", "_a", "m.o|_t"], [2, 2, 2]),
      (.ld64LLD, "m.o:_t\n_a\n", ["m.o|_t", "_a", "m.o|_t"], [2, 2, 1]),
      (.ld64, "_a\n_b\n_a\n", ["_b", "_a"], [3, 2, 2]),
      (.ld64LLD, "_a\n_b\n_a\n", ["_b", "_a"], [3, 2, 1]),
      // The new linker places all functions with a name at the first line with this name, whatever object file the line
      // states.
      (.ldPrime, "_t\n_a\n", ["b.o|_t", "c.o|_t", "_a"], [2, 2, 2]),
      (.ldPrime, "_t\n_a\n", ["b.o|_t", "_a", "c.o|_t"], [2, 2, 1]),
      (.ldPrime, "c.o:_t\n_a\n", ["b.o|_t", "c.o|_t", "_a"], [2, 2, 2]),
      (.ldPrime, "c.o:_t\n_a\nb.o:_t\n", ["b.o|_t", "c.o|_t", "_a"], [3, 2, 2]),
    ] as [(OrderFileDialect, String, [String], [Int])])
  func eachLinkerHasItsRuleForNamesakes(
    linker: OrderFileDialect, order: String, symbols: [String], counts: [Int]
  ) throws {
    let result = try check(order, symbols, by: linker)
    #expect([result.entries, result.present, result.inOrder] == counts)
  }

  @Test func anArchitectureThatIsNotKnownIsTheFirstOfTheFile() throws {
    let order = "x86_64:_b\narm64:_a\nx86_64:_a\n_c\n"
    let result = try check(order, ["_b", "_a", "_c"], for: nil)
    #expect([result.entries, result.present, result.inOrder] == [3, 3, 3])
    #expect(try check(order, ["_b", "_a", "_c"], for: Architecture("arm64e")).entries == 2)
  }

  @Test func aStrayTwinIsNamedAtItsAddress() throws {
    let result = try check("b.o:_t\n_a\n", ["a.o|_t", "a.o|_a", "b.o|_t"])
    #expect(result.firstDeviation?.name == "_t")
    #expect(result.firstDeviation?.address.rawValue == 0x1_0000_0420)
    #expect(result.firstDeviation?.expectedPredecessor == nil)
  }

  @Test(
    arguments: [
      ("_a\n_b\n_a\n", ["_a", "_b"]), ("a.o:_t\nb.o:_t\n_t\n", ["a.o:_t", "b.o:_t", "_t"]),
      ("_f.llvm.1\n_f\n_g\n", ["_f.llvm.1", "_g"]), ("_f\n_f.llvm.1\n", ["_f", "_f.llvm.1"]),
      ("arm64:_a\nx86_64:_b\nCSTR;1\n_c\n", ["_a", "_c"]),
    ] as [(String, [String])])
  func symbolsAreListedOnce(order: String, expected: [String]) throws {
    let file = try OrderFileDialect.ld64.read(FileBytes(Array(order.utf8)))
    let symbols = file.symbols(for: .arm64).map { symbol in
      (symbol.objectFile.map { "\($0):" } ?? "") + symbol.name.description
    }
    #expect(symbols == expected)
  }
}
