import ByteReading
import Testing

@Suite struct NameKeyTests {
  @Test func equalBytesAreEqualKeysWhereverTheyLie() {
    let table = Array("xmainxmain".utf8)
    #expect(NameKey(table[1..<5]) == NameKey(table[6..<10]))
    #expect(NameKey(table[1..<5]).hashValue == NameKey(Array("main".utf8)).hashValue)
    #expect(NameKey(table[1..<5]) != NameKey(table[1..<6]))
    #expect(NameKey([]) != NameKey([0]))
  }

  @Test func keysOfDifferentNamesAreKeptApart() {
    let keys = Set((0..<10_000).map { NameKey(Array("f\($0)".utf8)) })
    #expect(keys.count == 10_000)
    #expect(keys.contains(NameKey(Array("f9999".utf8))))
    #expect(!keys.contains(NameKey(Array("f10000".utf8))))
  }
}
