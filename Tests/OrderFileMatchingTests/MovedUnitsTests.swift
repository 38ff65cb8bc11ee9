import Addresses
import ImageModel
import ModelSamples
import OrderFileFormat
import OrderFileMatching
import Symbolication
import TestSupport
import Testing

@Suite struct MovedUnitsTests {
  /// Functions of 16 bytes each: f, g, and three functions called t.
  private let layout = elfLayout(["f", "t", "g", "t", "=u", "t"])

  private func units(_ parts: [Int], _ dialect: OrderFileDialect = .lld) -> MovedUnits {
    MovedUnits(of: parts.map { Part($0) }, in: SymbolMap(layout), for: dialect)
  }

  @Test func namesakesMoveTogether() {
    let t = (0..<6).filter { layout.names.name(layout.functions[$0].name) == "t" }
    let units = units([t[2], 0, t[0]])
    #expect(units.unit(of: Part(t[0])) == Part(t[2]))
    #expect(units.parts(of: Part(t[2])) == [Part(t[2]), Part(t[0])])
    #expect(units.byteCount(of: Part(t[2])) == 48)
    #expect(units.byteCount(of: Part(0)) == 16)
    #expect(units.unmoved.isEmpty)
  }

  /// A section of the C start files moves as a whole, all functions with one name move together, and `.init` does not
  /// move. After the next link, each function is where the units predicted it.
  @Test(.needs("ld.lld", "clang", "nm")) func theNextLinkHasThemThere() throws {
    let workshop = try Workshop()
    func source(_ name: String, _ next: String) -> String {
      """
      __attribute__((noinline)) static int helper(int n) { __asm__(""); return n * \(next.utf8.count) + \(name.utf8.count); }
      int \(next)(int);
      int \(name)(int n) { __asm__(".space 70"); return helper(n) + \(next)(n); }
      """
    }
    try workshop.write(source("one", "second").utf8, "one.c")
    try workshop.write(source("second", "thirdOfAll").utf8, "two.c")
    try workshop.write(
      "int thirdOfAll(int n) { return n; } int one(int); int main(int n) { return one(n) > 99; }"
        .utf8, "three.c")
    func link(_ name: String, _ options: [String]) throws -> Image {
      let objects = ["one.c", "two.c", "three.c"]
      let result = try workshop.run(
        "clang", ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-o", name] + objects + options)
      try #require(result.status == 0, "\(result.output)")
      return try Image.reading(path: workshop.folder.appendingPathComponent(name).path).image
    }
    let before = try link("before", []).layout
    func index(_ name: String, in layout: Layout) throws -> Int {
      try #require(
        layout.functions.firstIndex { layout.names.name($0.name).description == name }, "\(name)")
    }
    let names = ["main", "_init", "helper", "frame_dummy", "second", "thirdOfAll"]
    let parts = try names.map { Part(try index($0, in: before)) }
    let map = SymbolMap(before)
    let units = MovedUnits(of: parts, in: map, for: .lld)
    #expect(units.unmoved == [parts[1]])
    let placing = PlacingEntries(of: parts, in: map, for: .lld)
    try workshop.write(OrderFileDialect.lld.write(placing.entries).bytes, "app.order")
    let after = try link("after", ["-Wl,--symbol-ordering-file=app.order"]).layout
    let section = try #require(after.sections.first { $0.name == ".text" })
    let alignment = before.alignment(inSection: Int(before.functions[parts[0].function].section))
    #expect(alignment == 16)
    var address = section.range.start.rawValue
    for (name, part) in zip(names, parts) where units.unit(of: part) != nil {
      let function = after.functions[try index(name, in: after)]
      if CRuntime.inputSection(of: function.name(in: after)) == nil {
        #expect(function.address.rawValue == address, "\(name)")
      }
      address += units.byteCount(of: part).aligned(to: alignment)
    }
  }
}

extension PlacedSymbol {
  fileprivate func name(in layout: Layout) -> SymbolName { layout.names.name(name) }
}
