import ByteReading
import ClusterProfileFormat
import TestSupport
import Testing

@Suite struct ClusterProfileTests {
  static let text = """
    v1
    # made by hand
    m lib/parse.c
    f parse
    c 0 2 3 7
    c 5

    f main alias
    c 0 1\r

    """

  static let profile = ClusterProfile(functions: [
    .init(
      unit: Array("lib/parse.c".utf8), names: [Array("parse".utf8)], clusters: [[0, 2, 3, 7], [5]]),
    .init(names: [Array("main".utf8), Array("alias".utf8)], clusters: [[0, 1]]),
  ])

  static func read(_ text: String) throws -> ClusterProfile {
    try ClusterProfile(parsing: FileBytes(Array(text.utf8)))
  }

  @Test func aProfileReadsAsItIsWritten() throws {
    #expect(try Self.read(Self.text) == Self.profile)
    let written = Self.profile.written(header: ["two lines\nof a comment"])
    #expect(
      String(decoding: written, as: UTF8.self) == """
        v1
        # two lines
        # of a comment
        m lib/parse.c
        f parse
        c 0 2 3 7
        c 5
        f main alias
        c 0 1

        """)
    #expect(try ClusterProfile(parsing: FileBytes(written)) == Self.profile)
  }

  @Test func namesakesOfSeveralUnitsAreTwoFunctions() throws {
    let profile = try Self.read("v1\nm a.c\nf open\nc 0\nm b.c\nf open\nc 0 1\n")
    #expect(
      profile.functions.map { $0.unit.map { String(decoding: $0, as: UTF8.self) } } == [
        "a.c", "b.c",
      ])
  }

  @Test(arguments: [
    ("", "missing version (at line 1)"), ("f main\nc 0\n", "missing version (at line 1)"),
    ("v0\n", "unsupported version: found v0, this tool reads v1 (at line 1)"),
    ("v1\nq 1\n", "unsupported specifier: found 'q' (at line 2)"),
    ("v1\np 1 2\n", "unsupported specifier: found 'p' (at line 2)"),
    ("v1\nf\n", "missing function name (at line 2)"),
    ("v1\nf a\nf b\nc 0\n", "missing cluster of a function (at line 3)"),
    ("v1\nf a\n", "missing cluster of a function (at line 2)"),
    (
      "v1\nf a b a\nc 0\n",
      "invalid function name: expected each function once, found a (at line 2)"
    ),
    (
      "v1\nf a\nc 0\nf a\nc 0\n",
      "invalid function name: expected each function once, found a (at line 4)"
    ),
    ("v1\nc 0\n", "missing function of a cluster (at line 2)"),
    ("v1\nf a\nc\n", "missing block ID (at line 3)"),
    ("v1\nf a\nc 0 x\n", "invalid block ID: expected a number, found x (at line 3)"),
    ("v1\nf a\nc 0 +1\n", "invalid block ID: expected a number, found +1 (at line 3)"),
    (
      "v1\nf a\nc 0 4294967296\n",
      "invalid block ID: expected a number, found 4294967296 (at line 3)"
    ),
    ("v1\nf a\nc 0 1.2\n", "unsupported block ID: found 1.2, a clone (at line 3)"),
    ("v1\nf a\nc 0 1\nc 1\n", "invalid block ID: expected each block once, found 1 (at line 4)"),
    ("v1\nf a\nc 1 0\n", "invalid block ID: expected the entry first, found 0 inside (at line 3)"),
    (
      "v1\nm a.c b.c\nf a\nc 0\n",
      "invalid compile unit: expected the end of the line, found b.c (at line 2)"
    ),
  ])
  func whatIsWrongIsSaid(text: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Self.read(text) }
    #expect(error.map { "\($0)" } == message)
  }

  /// A number that is too long to be shown in a message is still read to its end.
  @Test func aNumberIsReadToItsEnd() throws {
    let zeros = String(repeating: "0", count: 100)
    #expect(try Self.read("v1\nf a\nc 0 \(zeros)7\n").functions[0].clusters == [[0, 7]])
  }

  @Test func namesOfALongUnitCostWhatOthersCost() throws {
    let growth = costGrowth(from: 1 << 9, by: 8) { size in
      let unit = String(repeating: "u", count: 64 * size)
      let names = (0..<size).map { "f\($0)" }.joined(separator: " ")
      let profile = try? Self.read("v1\nm \(unit)\nf \(names)\nc 0\n")
      #expect(profile?.functions[0].names.count == size)
    }
    #expect(growth < 24, "\(growth)")
  }

  @Test func damagedProfilesNeverTrap() {
    let whole = Array(Self.text.utf8)
    for length in whole.indices {
      _ = try? ClusterProfile(parsing: FileBytes(Array(whole[..<length])))
    }
    for copy in byteFlips(of: whole) { _ = try? ClusterProfile(parsing: FileBytes(copy)) }
  }

  @Test func aNameWithABlankCannotBeWritten() {
    #expect(ClusterProfile.isWritable(Array("_ZN3FooC1Ev".utf8)))
    for name in ["", "two words", "line\nbreak", "tab\t"] {
      #expect(!ClusterProfile.isWritable(Array(name.utf8)))
    }
  }
}
