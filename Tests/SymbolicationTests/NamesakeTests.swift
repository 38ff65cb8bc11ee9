import ImageModel
import ModelSamples
import Symbolication
import Testing

/// Tests which of several functions with one name was recorded: the object file decides.
@Suite struct NamesakeTests {
  @Test(
    arguments: [
      ("_t", "a.o", ["a.o|_t", "b.o|_t"], [0]), ("_t", "b.o", ["a.o|_t", "b.o|_t"], [1]),
      ("_t", nil, ["a.o|_t", "b.o|_t"], [0, 1]), ("_t", "c.o", ["a.o|_t", "b.o|_t"], [0, 1]),
      ("_t", "a.o", ["_t", "_t"], [0, 1]), ("_t", "a.o", ["b.o|_t"], [0]),
      // The archives of the recorded build may have other paths, or it may have no archives.
      ("_t", "l.a(b.o)", ["l.a(a.o)|_t", "l.a(b.o)|_t"], [1]),
      ("_t", "rec.a(b.o)", ["l.a(a.o)|_t", "l.a(b.o)|_t"], [1]),
      ("_t", "b.o", ["l.a(a.o)|_t", "l.a(b.o)|_t"], [1]),
      ("_t", "l.a(b.o)", ["a.o|_t", "b.o|_t"], [1]),
      ("_t", "l.a(b.o)", ["k.a(b.o)|_t", "l.a(b.o)|_t"], [1]),
      ("_t", "m.a(b.o)", ["k.a(b.o)|_t", "l.a(b.o)|_t", "a.o|_t"], [0, 1]),
      // The object file also decides if names differ from build to build.
      ("_t.llvm.1", "b.o", ["a.o|_t", "b.o|_t"], [1]),
      // The functions are folded into one body, so there is no choice.
      ("_t", "a.o", ["a.o|_t", "=b.o|_t"], [0]),
    ] as [(String, String?, [String], [Int])])
  func theObjectFileChooses(
    name: String, file: String?, symbols: [String], expected: [Int]
  ) {
    for isDebugMap in [false, true] {
      var map = SymbolMap(machOLayout(symbols, isDebugMap: isDebugMap))
      #expect(
        map.resolve(SymbolName(name), from: file.map { SymbolName($0) }).functions == expected)
    }
  }

  @Test func aLinkerKnowsObjectFilesByTheirExactNames() {
    let map = SymbolMap(machOLayout(["l.a(a.o)|_t", "l.a(b.o)|_t", "_u"]))
    #expect(map.resolveAsLinker("_t", in: "l.a(b.o)").functions == [1])
    #expect(map.resolveAsLinker("_t").functions == [0, 1])
    #expect(map.resolveAsLinker("_t", in: "b.o") == .missing(.noSuchSymbol))
    #expect(map.resolveAsLinker("_u", in: "a.o").functions == [2])
  }

  @Test(
    arguments: [
      ("_OUTLINED_FUNCTION_3", MissingReason.outlined),
      ("_sancov.module_ctor_trace_pc_guard", .sanitizerConstructor),
      ("___cxx_global_var_init.3", .inlinedOrRemoved),
    ])
  func namesOfOneBuildAloneAreMissing(name: String, reason: MissingReason) {
    var map = SymbolMap(
      machOLayout(["_OUTLINED_FUNCTION_3", "___cxx_global_var_init", "___cxx_global_var_init.1"]))
    #expect(map.resolve(SymbolName(name)) == .missing(reason))
  }
}
