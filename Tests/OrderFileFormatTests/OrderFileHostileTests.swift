import ByteReading
import OrderFileFormat
import TestSupport
import Testing

/// Damaged order files, read as every dialect: a reader may throw; it must not trap or hang.
@Suite struct OrderFileHostileTests {
  @Test(arguments: OrderFileDialect.all)
  func cutsAndFlippedBytesDoNotTrap(dialect: OrderFileDialect) {
    let entries = oddNames.map(entry)
    let input = dialect.write(entries, header: ["tool */ 1"]).bytes
    for length in hostilePrefixLengths(of: input, boundaries: lineBoundaries(of: input)) {
      check(Array(input[..<length]))
    }
    for damaged in byteFlips(of: input) { check(damaged) }
  }

  private func check(_ input: [UInt8]) {
    let bytes = FileBytes(input)
    for dialect in OrderFileDialect.all {
      guard let file = try? dialect.read(bytes) else { continue }
      #expect(file.entries.count == file.lines.count)
      #expect(file.entries.count <= input.count)
    }
    _ = OrderFileDialect(guessedFrom: bytes)
  }

  /// Each would take minutes if a reader looked at the rest of the file for each byte.
  @Test(
    .timeLimit(.minutes(1)), arguments: ["[", "[]", "(", "{", "/*", "\"", "*(", "#", ":", "a\n"])
  func repeatedBytesCostLinearTime(unit: String) {
    let unit = bytes(unit)
    check(Array((0..<(1 << 16)).map { _ in unit }.joined()))
  }
}
