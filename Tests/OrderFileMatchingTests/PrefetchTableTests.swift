import Addresses
import ByteReading
import Foundation
import ImageModel
import ObjectFormat
import OrderFileFormat
import OrderFileMatching
import TestSupport
import Testing

/// The ranges of data that an image prefetches: how touched bytes become ranges, and what is read back from an image.
@Suite(.needs("clang", "ld.lld")) struct PrefetchTableTests {
  /// A program with 1000 pages of constants, and with the first anchor, which has the ranges of `words`.
  private static func bytes(_ words: [UInt32] = [0, 0]) throws -> [UInt8] {
    let workshop = try Workshop()
    let table = words.map { ".long \($0)\\n" }.joined()
    try workshop.write(
      """
      const char constants[1000][4096] __attribute__((aligned(4096))) = {"a"};
      char variables[9000] = {1};
      __asm__(".globl \(PrefetchAnchor.first)\\n\(PrefetchAnchor.first):\\n.ascii \\"\(PrefetchAnchor.firstText)\\"\\n\(table)");
      int main(int count, char **words) { return constants[count][0] + variables[count] + (words == 0); }

      """.utf8, "main.c")
    let result = try workshop.run("clang", ["-fuse-ld=lld", "main.c", "-o", "app"])
    try #require(result.status == 0, "\(result.output)")
    return [UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent("app")))
  }

  private static func file(_ bytes: [UInt8]) throws -> ELFFile {
    guard case .elf(let file) = try ObjectFile(parsing: FileBytes(bytes)) else {
      throw ParseError(.missing, "ELF", at: FileOffset(rawValue: 0))
    }
    return file
  }

  private static func address(of name: String, in file: ELFFile) throws -> StatedAddress {
    let table = try #require(try file.symbolTable())
    var found: StatedAddress?
    table.forEachSymbol { symbol in
      guard let place = table.names.name(at: symbol.nameOffset) else { return }
      if table.names.bytes.text(place.indices) == name { found = symbol.value }
    }
    return try #require(found)
  }

  private static let made = Memo<String, [UInt8]>()

  private static func plain() throws -> ELFFile {
    try file(try made.value(for: "plain") { try bytes() })
  }

  /// The ranges of a table of touched pages of `constants`, as pages of this array.
  private func ranges(
    _ pages: [Int], inMemory: Set<Int> = []
  ) throws -> [ClosedRange<Int>] {
    let file = try Self.plain()
    let first = try Self.address(of: "constants", in: file)
    let touched = pages.map { StatedAddress(rawValue: first.rawValue + UInt64($0) * 4096 + 7) }
    let table = PrefetchTable(touched: touched, in: file) { page in
      inMemory.contains { PageSize.fourKibibytes.page(of: first) + UInt64($0) == page }
    }
    return table.addresses(in: file).compactMap { $0 }.map { range in
      let start = Int((range.start - first) / 4096)
      return start...start + Int(range.size / 4096) - 1
    }
  }

  @Test(arguments: [
    ([], []), ([3], [3...3]), ([4, 3, 4], [3...4]), ([3, 12], [3...12]),
    ([3, 13], [3...3, 13...13]),
    ([500, 3, 4, 501, 30], [500...501, 3...4, 30...30]),
    ([40, 20, 30], [40...40, 20...20, 30...30]),
  ])
  func touchedPagesWithSmallHolesAreOneRangeInTheOrderOfFirstUse(
    touched: [Int], expected: [ClosedRange<Int>]
  ) throws {
    #expect(try ranges(touched) == expected)
  }

  @Test func pagesInMemoryAreLeftOut() throws {
    #expect(try ranges([3, 4, 5, 40], inMemory: [4, 40]) == [3...5])
    #expect(try ranges([3, 40], inMemory: [3]) == [40...40])
  }

  /// If there are more ranges than a table may have, larger holes are joined, too.
  @Test func manyRangesAreJoined() throws {
    let full = try ranges((0..<40).map { $0 * 10 })
    #expect(full.count == 40 && full.allSatisfy { $0.count == 1 })
    #expect(try ranges((0..<41).map { $0 * 10 }) == [0...400])
  }

  @Test func bytesOfNoSegmentAreLeftOut() throws {
    let file = try Self.plain()
    let touched = [0, 1 << 40, UInt64.max].map { StatedAddress(rawValue: $0) }
    let table = PrefetchTable(touched: touched, in: file) { _ in false }
    #expect(table.count <= 1 && table.byteCount <= 4096)
  }

  private func table(_ words: [UInt32]) throws -> (PrefetchTable?, ELFFile) {
    let file = try Self.file(try Self.bytes(words))
    return (
      PrefetchTable(of: file, at: try Self.address(of: PrefetchAnchor.first, in: file)), file
    )
  }

  @Test func anImageHasTheRangesThatWereWritten() throws {
    let file = try Self.plain()
    let first = try Self.address(of: "constants", in: file)
    let touched = [900, 3_000, 300_000].map { StatedAddress(rawValue: first.rawValue + $0) }
    let written = PrefetchTable(touched: touched, in: file) { _ in false }
    let (read, image) = try table(written.words.flatMap { $0 })
    #expect(read == written && read?.count == 2)
    #expect(read?.addresses(in: image).contains(nil) == false)
  }

  @Test(
    arguments: [
      [1, 99, 0, 1, 0, 0, 4096], [1, .max, .max, 1, 0, .max, .max], [1, 0, 0, 1, 0, 0, 4096],
      [1, 0, .max, 1, 0, 0, 4096], [1, 0, 4_100_000, 1, 0, 8192, 4096],
      [1, 0, 4_100_000, 1, 0, .max, .max],
    ] as [[UInt32]])
  func rangesOfOtherSegmentsAreSkipped(words: [UInt32]) throws {
    let (read, file) = try table(words)
    #expect(read?.addresses(in: file) == [nil])
  }

  /// Too many segments or ranges, a segment that the table does not list, and segments that do not ascend.
  @Test(
    arguments: [
      [9], [.max], [0, 49], [0, .max], [1, 0, 0, .max], [1, 0, 0, 1, 1, 0, 4096],
      [0, 1, 0, 0, 4096], [2, 3, 0, 3, 0, 0], [2, 3, 0, 1, 0, 0],
    ] as [[UInt32]])
  func malformedTablesAreNone(words: [UInt32]) throws {
    #expect(try table(words).0 == nil)
  }

  @Test func tablesThatAreCutOffAreNone() throws {
    let (_, file) = try table([0, 0])
    for address in [0, 1, UInt64.max, UInt64.max - 4] {
      #expect(PrefetchTable(of: file, at: StatedAddress(rawValue: address)) == nil)
    }
  }

  @Test func damagedImagesNeverTrap() throws {
    let bytes = try Self.bytes([2, 0, 4_100_000, 1, 4096, 2, 0, 4096, 8192, 1, 0, 4096])
    let anchor = try Self.address(of: PrefetchAnchor.first, in: Self.file(bytes))
    func check(_ bytes: [UInt8]) {
      guard let file = try? Self.file(bytes), let table = PrefetchTable(of: file, at: anchor) else {
        return
      }
      _ = table.addresses(in: file)
      _ = table.byteCount
      #expect(table.words.count >= 2 + table.count)
    }
    check(bytes)
    for flipped in byteFlips(of: Array(bytes[..<1024]), seed: 5) { check(flipped + bytes[1024...]) }
  }
}
