import ByteReading
import Testing

@Suite struct FileBytesComparisonTests {
  @Test(arguments: [
    (0..<2, 3..<5, true), (0..<2, 3..<6, false), (0..<2, 1..<3, false), (2..<2, 5..<5, true),
  ])
  func rangesAreEqualIfTheirBytesAre(a: Range<Int>, b: Range<Int>, expected: Bool) {
    #expect(FileBytes(Array("ab ab ".utf8)).areEqual(a, b) == expected)
  }

  @Test func bytesAreAddedBehindWhatTheBufferHolds() {
    var buffer: [UInt8] = [1]
    FileBytes([2, 3, 4]).append(1..<3, to: &buffer)
    #expect(buffer == [1, 3, 4])
  }
}
