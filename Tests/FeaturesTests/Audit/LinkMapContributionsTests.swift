import Addresses
import Audit
import ByteReading
import ImageModel
import LinkMapFormat
import TestSupport
import Testing

/// The object files and archives that a link map names for code and data.
@Suite struct LinkMapContributionsTests {
  private static func contributions(_ fixture: String) throws -> LinkMapContributions {
    let bytes = try TestSupport.fixture("linkmap/\(fixture)/input.map")
    return LinkMapContributions(try LinkMap(parsing: FileBytes(bytes)))
  }

  @Test(
    arguments: [
      ("lib/libx.a(member.o)", "lib/libx.a"), ("libx.a[3](member.o)", "libx.a"),
      ("lib(1).a(a.o)", "lib(1).a"), ("libx.a(a.o at 1234)", "libx.a"), ("a.o", nil), ("", nil),
      ("a(b", nil), (")", nil), ("(", nil), ("[](a.o)", ""),
    ] as [(String, String?)]) func theArchiveIsInFrontOfTheMember(file: String, archive: String?)
  {
    #expect(LinkMapContributions.archive(of: SymbolName(file)) == archive.map { SymbolName($0) })
  }

  @Test(
    arguments: [("lld-macho-alias", "libb.a"), ("ld64-classic-by-hand", "/Build/libfoo.a")])
  func theArchivesOfMachOMapsAreFound(fixture: String, archive: String) throws {
    let pieces = try Self.contributions(fixture).pieces
    #expect(!pieces.isEmpty)
    let archives = Set(pieces.compactMap { LinkMapContributions.archive(of: $0.file) })
    #expect(archives.map(\.description) == [archive])
  }

  @Test(arguments: linkMapFixtures) func piecesAscend(fixture: String) throws {
    let pieces = try Self.contributions(fixture).pieces
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.range.start <= $1.range.start })
    #expect(pieces.allSatisfy { $0.range.size > 0 && $0.range.start.rawValue > 0 })
  }
}
