import Addresses
import ByteReading
import Foundation
import ImageModel
import LinkMapFormat
import OrderFileFormat
import OrderFileMatching
import Symbolication
import TestSupport
import Testing

extension Workshop {
  fileprivate func must(_ tool: String, _ arguments: [String]) throws {
    let result = try run(tool, arguments)
    try #require(result.status == 0, "\(result.output)")
  }

  fileprivate func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }
}

/// Tests which data is at which address, in images that real linkers made.
@Suite(.needs("ld.lld", "clang")) struct DataLayoutTests {
  private static let source = """
    const int table[1000] = {1, 2, 3};
    extern const int other_table[1000] __attribute__((alias("table")));
    const char *const names[2] = {"one", "two"};
    int counter = 3;
    static int hidden[50] = {7};
    int zeros[300];
    _Thread_local int of_thread = 5;
    __asm__(".section .rodata.by_hand,\\"a\\"\\n.globl by_hand\\nby_hand: .long 1, 2, 3, 4\\n.text");
    const char *word(int n) { return n > 1 ? names[n & 1] : "some words"; }
    int *use(int n) { of_thread++; return n > 9 ? &counter : n > 3 ? &hidden[n] : &zeros[n]; }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(source.utf8, "a.c")
    for (name, flags) in [("own", ["-fdata-sections"]), ("shared", [])] {
      try workshop.must(
        "clang",
        ["-O1", "-fPIC", "-shared", "-fuse-ld=lld", "-Wl,-Map=\(name).map", "a.c", "-o", name]
          + flags)
    }
  }

  private func layout(_ workshop: Workshop, _ name: String = "own") throws -> DataLayout {
    try #require(try DataLayout(of: FileBytes(workshop.bytes(name))))
  }

  private func names(_ range: Range<Int>, _ data: DataLayout) -> [String] {
    range.map { "\(data.layout.name(of: data.layout.functions[$0]))" }.sorted()
  }

  @Test(arguments: [
    ("table", DataKind.constants, 4000), ("names", .relocatedConstants, 16),
    ("counter", .variables, 4), ("hidden", .variables, 200), ("zeros", .zeroFilled, 1200),
    ("by_hand", .constants, 16),
  ])
  func aVariableIsInTheSectionOfItsKind(name: String, kind: DataKind, size: UInt64) throws {
    let data = try layout(try Self.built.copy())
    let index = try #require(
      data.layout.functions.firstIndex { "\(data.layout.name(of: $0))" == name })
    let variable = data.layout.functions[index]
    #expect(data.kinds[Int(variable.section)] == kind)
    // The last variable of a section that states no size extends to the end of the section.
    #expect(variable.knownBytes == size || (name == "by_hand" && variable.knownBytes >= size))
    let isRelocated = data.isRelocated(variable.knownBody)
    #expect(kind == .relocatedConstants ? isRelocated : !isRelocated)
    guard case .symbol(let found)? = data.place(at: variable.address + (size - 1)) else {
      Issue.record("nothing is at the end of \(name)")
      return
    }
    #expect(names(found, data).contains(name))
    #expect(!names(found, data).contains("of_thread"))
  }

  @Test func whatHasNoNameIsTold() throws {
    let workshop = try Self.built.copy()
    let data = try layout(workshop)
    let bytes = try workshop.bytes("own")
    let text = try #require(bytes.indices.first { bytes[$0...].starts(with: "some words".utf8) })
    // The first segment begins with the file.
    #expect(data.place(at: StatedAddress(rawValue: UInt64(text))) == .unnamed(.constants))
    #expect(data.place(at: StatedAddress(rawValue: 0)) == nil)
    #expect(data.place(at: StatedAddress(rawValue: .max)) == nil)
  }

  @Test func aGranuleHasAllThatOverlapsIt() throws {
    let data = try layout(try Self.built.copy())
    let table = try #require(
      data.layout.functions.first { "\(data.layout.name(of: $0))" == "table" })
    let range = AddressRange(start: table.address, size: 8)
    guard case .symbol(let found)? = data.places(in: range).first else {
      Issue.record("no place")
      return
    }
    #expect(names(found, data) == ["other_table", "table"])
    let all = data.layout.sections[Int(table.section)].range
    let places = data.places(in: all)
    #expect(places.count == Set(places).count && places.count >= 2)
  }

  @Test func onlyALinkMapTellsWhatSharesASection() throws {
    let workshop = try Self.built.copy()
    for (name, expected) in [("own", [String]()), ("shared", ["counter", "hidden"])] {
      let data = try layout(workshop, name)
      let map = try LinkMap(parsing: FileBytes(workshop.bytes(name + ".map")))
      let shared = data.layout.functions.filter {
        map.sharedData.contains($0.address) && data.kinds[Int($0.section)] == .variables
      }
      #expect(shared.map { "\(data.layout.name(of: $0))" }.sorted() == expected)
    }
  }

  @Test func aStrippedImageHasItsExportedData() throws {
    let workshop = try Self.built.copy()
    try workshop.must("strip", ["-o", "stripped", "own"])
    let data = try layout(workshop, "stripped")
    let names = data.layout.functions.map { "\(data.layout.name(of: $0))" }
    #expect(names.contains("counter") && !names.contains("hidden"))
  }

  @Test func damagedImagesTrapNothing() throws {
    let whole = try Self.built.copy().bytes("own")
    for end in stride(from: 0, to: whole.count, by: 97) {
      _ = try? DataLayout(of: FileBytes(Array(whole[..<end])))
    }
    var random = SeededRandom(seed: 4)
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      guard let data = try? DataLayout(of: FileBytes(bytes)) else { continue }
      for address in [0, 0x300, 0x2000, 0x4000, .max] as [UInt64] {
        _ = data.places(in: AddressRange(start: StatedAddress(rawValue: address), size: 8))
      }
    }
  }

  @Test func theLinkerFollowsEntriesOfData() throws {
    let workshop = try Self.built.copy()
    let wanted = ["hidden", "counter", "by_hand", "table"]
    let entries = wanted.map { OrderFileEntry(symbol: Array($0.utf8), isData: true) }
    try workshop.write(OrderFileDialect.lld.write(entries).bytes, "app.order")
    try workshop.must(
      "clang",
      [
        "-O1", "-fPIC", "-shared", "-fdata-sections", "-fuse-ld=lld",
        "-Wl,--symbol-ordering-file=app.order", "a.c", "-o", "ordered",
      ])
    let order = try OrderFileDialect.lld.read(FileBytes(workshop.bytes("app.order")))
    for (name, inOrder) in [("ordered", 4), ("own", 3)] {
      let bytes = FileBytes(try workshop.bytes(name))
      let layout = try Image.reading(bytes, path: name).image.layout
      let check = OrderFileCheck(order, layout: layout)
      #expect(check.entries == 0 && check.dataEntries == 4)
      let data = DataOrderCheck(
        order, check, data: try self.layout(workshop, name), of: bytes, architecture: nil)
      #expect(data.data.entries == 4 && data.data.present == 4)
      #expect(data.data.inOrder == inOrder)
      let isOrdered = name == "ordered"
      #expect(isOrdered ? data.firstDeviation == nil : data.firstDeviation != nil)
    }
  }
}

/// Tests which strings and data Mach-O images have.
@Suite(.needs(.appleSDK)) struct MachODataLayoutTests {
  @Test func stringsAndDataOfMachOAreFound() throws {
    let build = try MachOBuild(
      sources: [
        (
          name: "a.c",
          text: """
          const int table[100] = {1};
          static const char *names[] = {"one", "two"};
          int counter = 3, zeros[10];
          const char *word(int n) { return n > 5 ? "a longer text" : names[n & 1]; }
          int main(int n, char **w) { (void)w; return counter + zeros[n] + table[n] + *word(n); }
          """
        )
      ])
    let bytes = FileBytes(try build.bytes("image"))
    let data = try #require(try DataLayout(of: bytes))
    let texts = data.strings.map { bytes.text($0.contents) }
    #expect(texts.sorted() == ["a longer text", "one", "two"])
    for (index, string) in data.strings.enumerated() {
      #expect(data.place(at: string.range.start) == .string(index))
      #expect(data.place(at: string.range.start + (string.range.size - 1)) == .string(index))
    }
    let kinds = data.layout.functions.map {
      "\(data.layout.name(of: $0)) \(data.kinds[Int($0.section)].rawValue)"
    }
    #expect(kinds.contains("_table constants") && kinds.contains("_counter variables"))
    #expect(kinds.contains("_zeros zero-filled"))
  }
}
