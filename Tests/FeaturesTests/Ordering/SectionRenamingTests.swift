import ImageModel
import ObjectFormat
import OrderFileFormat
import Ordering
import TestSupport
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct SectionRenamingTests {
  private static func object(_ path: String, _ sections: [(String, [String])]) -> LinkedObject {
    LinkedObject(
      path: path,
      sections: sections.map {
        InputSection(name: bytes($0.0), size: 40_000, symbols: $0.1.map(bytes))
      })
  }

  private static let objects = [
    object("a.o", [(".text.b", ["b"]), (".text.unlikely.a", ["a"]), (".text.c", ["c", "alias"])]),
    object("lib.a", [(".text.c", ["c"]), (".text.local", ["local"]), (".text.local", ["local"])]),
    object("plain.o", [(".text", ["d", "e"]), ("init_code", ["f"]), (".text.x=y", ["x=y"])]),
  ]
  private static let order = ["alias", "local", "a", "b", "d", "f", "x=y", "gone", "c"]

  private static func renaming(_ linker: String) throws -> SectionRenaming {
    try SectionRenaming(
      order.map { OrderFileEntry(symbol: bytes($0)) },
      for: try #require(RenamingLinker(name: linker)), objects: objects)
  }

  private static func renamed(_ renaming: SectionRenaming) -> [[String]] {
    objects.map { renaming.renamed(in: $0).map { "\(text($0.old)) \(text($0.new))" } }
  }

  /// Groups of 64 KiB are in the order of the launch. Within a group, mold keeps the order in which it reads sections.
  @Test func moldsGroupsAreInOrder() throws {
    let renaming = try Self.renaming("mold")
    #expect(renaming.entries.map { text($0.symbol) } == ["c", "alias", "local", "b", "a"])
    #expect(
      Self.renamed(renaming) == [
        [".text.b .startup.1", ".text.c .startup.0", ".text.unlikely.a .startup.1"],
        [".text.c .startup.0", ".text.local .startup.0"], [],
      ])
  }

  @Test(arguments: ["gold", "gnu-ld"])
  func theNumbersOfSectionsHaveTheOrderOfTheirFirstFunctions(linker: String) throws {
    let renaming = try Self.renaming(linker)
    #expect(renaming.entries.map { text($0.symbol) } == ["alias", "local", "a", "b", "c"])
    #expect(
      Self.renamed(renaming) == [
        [
          ".text.b .text.sorted.3.b", ".text.c .text.sorted.0.c",
          ".text.unlikely.a .text.sorted.2.a",
        ],
        [".text.c .text.sorted.0.c", ".text.local .text.sorted.1.local"], [],
      ])
  }

  @Test func whatStaysIsNamedWithTheReason() throws {
    let renaming = try Self.renaming("mold")
    #expect(
      renaming.leftOut.map { "\(text($0.entry.symbol)) \($0.reason)" } == [
        "d shared", "f otherName", "x=y unwritable", "gone noObject",
      ])
    #expect(
      renaming.sharedSections?.message.hasPrefix("1 startup function can't be moved") ?? false)
  }

  @Test func objectsWithoutFunctionSectionsAreAnError() throws {
    let error = #expect(throws: Diagnostic.self) {
      try SectionRenaming(
        ["d", "e"].map { OrderFileEntry(symbol: bytes($0)) }, for: RenamingLinker.all[0],
        objects: [Self.objects[2]])
    }
    #expect(error?.severity == .mismatch)
    #expect(
      error?.description
        == "plain.o: no section to rename: 2 functions: its section also has other functions\n"
        + "  hint: compile with -ffunction-sections, and give all objects and archives of the link")
  }

  /// Names with a number sort as the numbers do.
  @Test func numbersHaveOneWidth() {
    let sections = (0..<1200).map { _ in (function: bytes("f")[...], size: UInt64(700)) }
    for linker in RenamingLinker.all {
      let names = linker.names(of: sections).map(text)
      #expect(names == names.sorted())
      #expect(names[7] == (linker.name == "mold" ? ".startup.00" : ".text.sorted.0007.f"))
    }
    #expect(RenamingLinker.all[0].names(of: []).isEmpty)
    #expect(RenamingLinker.makes(bytes(".startup.07")) && !RenamingLinker.makes(bytes(".startup.")))
    #expect(!RenamingLinker.makes(bytes(".startup.c")) && !RenamingLinker.makes(bytes(".startu")))
  }
}
