import Addresses
import ByteReading
import LinkMapFormat
import TestSupport
import Testing

/// For each grammar, one small map that contains all that its reader knows, damaged in several ways.
@Suite struct LinkMapHostileTests {
  static let maps: [String] = [
    LinkMapGrammarTests.lld + """
          1000     1000       10     1 . = 0x1000
          1000     1000      100    16 .te
      xt
          1000     1000        4     1         lib.a(a.o):(.text.f
      g)
          1000     1000        4     1                 f
      g
          1004     1004        4     1                 \u{20}h\t(int)
          1010     1010        4     1         BYTE ( 1 )
      80001000 80001000 ffffffffffffffff 2097152         b.o:(.text.i)

      """,
    LinkMapGrammarTests.mold + """
                       0         64     8 EHDR
                  0x21b0       2369    16 .text
                  0x21b0         34    16         a.o:(.text)
                  0x21b0          0     0                 f
      g
      0xffffffffffffffff 18446744073709551615     0                 h

      """,
    """
    Discarded input sections

     .text.gone     0x0000000000000000        0x4 a.o

    Linker script and memory map

    LOAD a.o
                    [!provide]                        PROVIDE (x = .)

    .text           0xffffffffffffffff 0xffffffffffffffff
     *(.text .text.*)
     .text.with
    newline
                    0x0000000000001000       0x20 a.o
                                             0x28 (size before relaxing)
                    0x0000000000001000                f
    g
                    0x0000000000001004                . += 0x4
     *fill*         0x0000000000001004        0xc\u{20}

    .hash
     *(.hash)
    OUTPUT(app elf64-x86-64)

    Cross Reference Table

    """,
    """
    Memory map

     ** file header
                    0x0000000000000000       0x40

    .plt            0x00000000000005b0       0x30
     ** PLT         0x00000000000005b0       0x30

    .text           0x00000000000005e0      0x294
     .text.f        0x00000000000005e0       0x22 lib.a(a.o)
                    0x00000000000005e0                f(int)
     .text._ZN1aC2Ev
                    0x0000000000000610        0x5 a.o

    """,
    """
    # Path: a
    b
    # Arch: arm64
    # Object files:
    [  0] linker synthesized
    [  1] /lib a.a(f
    g.o)
    [1234] z.o
    # Sections:
    # Address\tSize    \tSegment\tSection
    0x00000000\t0x00001000\t__TEXT\t__text
    0x00001000\t0xFFFFFFFFFFFFEFFF\t__TEXT\t__stubs
    # Symbols:
    # Address\tSize    \tFile  Name
    0x00000010\t0x00000000\t[  1] _f
    g

    0x00000010\t0xFFFFFFFFFFFFFFFF\t[1234] ltmp0
    0x00000000\t0x00000004\t[  0] _f.island
    0xFFFFFFFFFFFFFFFE\t0x0000000C\t[  1] _f

    # Dead Stripped Symbols:
    #        \tSize    \tFile  Name
    <<dead>> \t0x00000010\t[  2] _x
    y
    <<dead>>\t0x00000008\t[  2] literal string: z

    """,
  ]

  /// Reads, and looks at all names: each must lie in the map.
  static func check(_ bytes: [UInt8]) {
    guard let map = try? LinkMap(parsing: FileBytes(bytes)) else { return }
    let length = map.dump().utf8.count
    #expect(length > 0)
  }

  @Test func everyGrammarIsDamaged() throws {
    let damaged = try Self.maps.map { try LinkMap(parsing: FileBytes(Array($0.utf8))).grammar }
    #expect(Set(damaged) == Set(LinkMapGrammar.all))
  }

  @Test(arguments: maps) func everyPrefixThrowsOrReads(_ map: String) {
    let bytes = Array(map.utf8)
    for length in hostilePrefixLengths(of: bytes, boundaries: lineBoundaries(of: bytes)) {
      Self.check(Array(bytes[..<length]))
      // A map must end with a line feed. A half line that is followed by a line feed can be valid.
      Self.check(Array(bytes[..<length]) + [UInt8(ascii: "\n")])
    }
  }

  @Test(arguments: maps) func everyFlippedByteThrowsOrReads(_ map: String) {
    for bytes in byteFlips(of: Array(map.utf8)) { Self.check(bytes) }
  }

  @Test(arguments: linkMapFixtures) func damagedRealMapsThrowOrRead(_ name: String) throws {
    for bytes in byteFlips(of: try fixture("linkmap/\(name)/input.map"), count: 10) {
      Self.check(bytes)
    }
  }

  /// Line feeds and blanks decide the grammars; here any byte may become one, or vanish.
  @Test(arguments: maps) func movedLinesThrowOrRead(_ map: String) {
    let bytes = Array(map.utf8)
    for index in bytes.indices {
      for byte in [UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "0"), 0xff] {
        var changed = bytes
        changed[index] = byte
        Self.check(changed)
      }
      var shorter = bytes
      shorter.remove(at: index)
      Self.check(shorter)
    }
  }

  @Test func moreSectionsThanAnythingRealAreRefused() throws {
    var builder = LinkMapBuilder(FileBytes([]))
    let address = StatedAddress(rawValue: 1)
    for _ in 0..<ParsingLimits.sections { try builder.addSection(0..<0, at: address, size: 1) }
    let error = #expect(throws: ParseError.self) {
      try builder.addSection(0..<0, at: address, size: 1)
    }
    #expect(
      error?.reason
        == .tooLarge(limit: ParsingLimits.sections, found: ParsingLimits.sections + 1))
  }
}
