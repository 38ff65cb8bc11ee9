import OrderFileFormat
import TestSupport
import Testing

/// Tests entries of order files that name data and strings.
@Suite struct DataEntriesTests {
  private let entries = [
    OrderFileEntry(symbol: bytes("_main")),
    OrderFileEntry(symbol: bytes("_table"), isData: true),
    OrderFileEntry(symbol: bytes("_count"), isData: true),
  ]

  @Test(arguments: [OrderFileDialect.lld, .ld64, .ld64LLD, .ldPrime])
  func aCommentSaysWhereDataBegin(dialect: OrderFileDialect) throws {
    let written = dialect.write(entries, strings: [7, 5, 7], header: ["of a program"])
    let read = try dialect.read(.init(written.bytes))
    #expect(read.entries == entries)
    #expect(read.strings.map(\.hash) == (dialect == .ld64LLD ? [7, 5] : []))
    #expect(
      dialect.write(read.entries, strings: [7, 5], header: ["of a program"]).bytes == written.bytes)
    // The order files of several architectures can be joined into one file.
    let twice = try dialect.read(.init(written.bytes + written.bytes))
    #expect(twice.entries == entries + entries)
  }

  @Test func withoutDataNothingIsMarked() {
    let written = OrderFileDialect.lld.write([entries[0]])
    #expect(text(written.bytes) == "_main\n")
  }

  @Test(arguments: [OrderFileDialect.gold, .gnuLD])
  func linkersThatNameSectionsOrderNoData(dialect: OrderFileDialect) {
    #expect(!dialect.ordersData && !dialect.ordersStrings)
  }

  /// The hashes that ld64.lld 22 computes. xxHash has separate code for long strings.
  @Test(
    arguments: [
      ("", 0x2d06_8005_38d3_94c2), ("quote\"q", 1_956_311_786), ("%s %d\n", 1_635_744_919),
    ] as [(String, UInt64)])
  func aStringIsNamedByItsHash(string: String, hash: UInt64) {
    #expect(bytes(string).stringHash == UInt32(hash & 0x7fff_ffff))
  }

  @Test(
    arguments: [
      ("CSTR;17", 17), ("  CSTR;0x11 # seventeen", 17), ("CSTR;0", 0), ("CSTR;4294967295", .max),
      ("CSTR;", nil), ("CSTR;0x", nil), ("CSTR;4294967296", nil), ("CSTR;-1", nil), ("CSTR;x", nil),
      ("\"text\"", nil), ("a.o:CSTR;17", nil),
    ] as [(String, UInt32?)])
  func aLineNamesAString(line: String, hash: UInt32?) throws {
    let file = try read("_main\n" + line + "\n", .ld64LLD)
    #expect(file.entries.count == 1)
    #expect(file.strings.map(\.hash) == [hash].compactMap { $0 })
    #expect(file.patterns.count == (hash == nil ? 1 : 0))
    // Apple's linkers do not order strings.
    let other = try read("_main\n" + line + "\n", .ld64)
    #expect(other.strings.isEmpty && other.patterns.count == 1)
  }
}
