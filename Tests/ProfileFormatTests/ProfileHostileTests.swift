import ByteReading
import ImageModel
import ProfileFormat
import TestSupport
import Testing

@Suite struct ProfileHostileTests {
  static let bytes = SampleLaunch.profile(SampleLaunch.many(40, seed: 2, withData: true)).bytes

  @Test(.needs(.time)) func everyPrefixIsAnError() {
    for length in hostilePrefixLengths(of: Self.bytes) where length < Self.bytes.count {
      #expect(throws: ParseError.self, "\(length)") {
        try Profile(parsing: FileBytes(Array(Self.bytes[..<length])))
      }
    }
  }

  /// A damaged profile either throws, or is read as a profile whose written form equals the damaged file: nothing is
  /// silently repaired.
  @Test(.needs(.time)) func flippedBytesAreAnErrorOrAnotherProfile() throws {
    var readCount = 0
    for bytes in byteFlips(of: Self.bytes, count: 3000) {
      guard let profile = try? Profile(parsing: FileBytes(bytes)) else { continue }
      readCount += 1
      #expect(profile.bytes == bytes)
    }
    // Some damaged profiles are valid, because names and times can have any value.
    #expect(readCount > 0)
  }

  @Test func aNewerVersionIsNamed() {
    var bytes = Self.bytes
    bytes[8] = 4
    let error = #expect(throws: ParseError.self) { try Profile(parsing: FileBytes(bytes)) }
    #expect(
      error.map { "\($0)" }
        == "unsupported version: found 4, this tool reads 3 (at offset 0x8)")
  }

  @Test func nothingMayFollow() {
    let error = #expect(throws: ParseError.self) {
      try Profile(parsing: FileBytes(Self.bytes + [0]))
    }
    #expect(error?.field == "profile")
  }

  @Test func aCountThatTheFileCannotHoldIsAnErrorAtOnce() {
    // After the version come 13 counts and a histogram without buckets, then the number of texts.
    let start = Array(Profile().bytes[..<26])
    for count in [[0xff, 0xff, 0xff, 0xff, 0x0f], [0xff, 0xff, 0x7f]] as [[UInt8]] {
      let error = #expect(throws: ParseError.self) {
        try Profile(parsing: FileBytes(start + count))
      }
      #expect(error?.field == "texts")
    }
  }
}
