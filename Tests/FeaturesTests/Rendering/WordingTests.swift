import ImageModel
import Rendering
import Testing

@Suite struct WordingTests {
  @Test(
    arguments: [
      (0, "0", "0 bytes"), (1, "1", "1 byte"), (1023, "1023", "1023 bytes"),
      (1024, "1.0Ki", "1 KiB"), (10445, "10.2Ki", "10.2 KiB"),
      (1_048_524, "1023.9Ki", "1023.9 KiB"), (1_048_525, "1.0Mi", "1 MiB"),
      (1 << 30, "1.0Gi", "1 GiB"), (3 << 59, "1.5Ei", "1.5 EiB"), (.max, "16.0Ei", "16 EiB"),
    ] as [(UInt64, String, String)])
  func bytesAreShortInTablesAndHaveTheirUnitInSentences(
    bytes: UInt64, inTable: String, inSentence: String
  ) {
    #expect(ByteCount(bytes).description == inTable)
    #expect(ByteCount(bytes).wording == inSentence)
  }

  @Test(
    arguments: [
      (450, 134, "-70.2%"), (38, 38, "0.0%"), (0, 0, "0.0%"), (0, 3, "new"), (3, 0, "-100.0%"),
      (100, 104, "+4.0%"), (1, .max, "+1000000.0%"), (10_000, 9_999, "0.0%"),
    ] as [(UInt64, UInt64, String)])
  func changesCarryTheirSign(before: UInt64, after: UInt64, expected: String) {
    #expect(Percentage.change(from: before, to: after) == expected)
  }

  @Test(arguments: [(2.5, 5, "+100.0%"), (0, 0, "0.0%"), (0, 0.5, "new"), (3.25, 3, "-7.7%")])
  func changesOfMeansReadTheSame(before: Double, after: Double, expected: String) {
    #expect(Percentage.change(from: before, to: after) == expected)
  }

  @Test(arguments: [(1, 2, "50.0%"), (0, 7, "0.0%"), (2, 3, "66.7%"), (0, 0, "-")])
  func sharesOfNothingAreADash(part: Int, whole: Int, expected: String) {
    #expect(Percentage.share(part, of: whole) == expected)
  }

  @Test(arguments: [(0, "0 functions"), (1, "1 function"), (7, "7 functions")])
  func nounsFollowTheirCount(count: Int, expected: String) {
    #expect(counted(count, "function") == expected)
  }

  @Test(arguments: [(512, "512 byte"), (4096, "4 KiB"), (65536, "64 KiB"), (2 << 20, "2 MiB")])
  func pageSizesAreNamedInBinaryUnits(bytes: UInt64, expected: String) {
    #expect(PageSize(bytes: bytes)?.wording == expected)
  }
}
