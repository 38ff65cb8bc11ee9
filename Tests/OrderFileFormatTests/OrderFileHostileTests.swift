import ByteReading
import OrderFileFormat
import TestSupport
import Testing

/// Damaged order files, read in their dialect; every eighth is read in all dialects. A reader may throw, but must not
/// trap or hang.
@Suite struct OrderFileHostileTests {
  @Test(.needs(.time), arguments: OrderFileDialect.all)
  func cutsAndFlippedBytesDoNotTrap(dialect: OrderFileDialect) {
    let entries = oddNames.map(entry)
    let input = dialect.write(entries, header: ["tool */ 1"]).bytes
    for length in hostilePrefixLengths(of: input, boundaries: lineBoundaries(of: input)) {
      check(Array(input[..<length]), as: length % 8 == 0 ? OrderFileDialect.all : [dialect])
    }
    for (index, damaged) in byteFlips(of: input).enumerated() {
      check(damaged, as: index % 8 == 0 ? OrderFileDialect.all : [dialect])
    }
  }

  private func check(_ input: [UInt8], as dialects: [OrderFileDialect]) {
    let bytes = FileBytes(input)
    for dialect in dialects {
      guard let file = try? dialect.read(bytes) else { continue }
      #expect(file.entries.count == file.lines.count)
      #expect(file.entries.count <= input.count)
    }
    _ = OrderFileDialect(guessedFrom: bytes)
  }

  /// These files would take long if a reader looked at the rest of the file for each byte.
  @Test(.needs(.time), arguments: ["[", "[]", "(", "{", "/*", "\"", "*(", "#", ":", "a\n"])
  func repeatedBytesCostLinearTime(unit: String) {
    let unit = bytes(unit)
    let growth = costGrowth(from: 1 << 13, by: 8) { size in
      check(Array((0..<size).map { _ in unit }.joined()), as: OrderFileDialect.all)
    }
    #expect(growth < 30, "eight times the bytes: linear is 8, quadratic 64")
  }
}
