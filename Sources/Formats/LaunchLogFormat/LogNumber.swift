// Numbers as programs print them for people. dyld prints in C's locale, but a program that shows or copies a log may
// rewrite numbers, and MetricKit writes numbers in the device's language.

/// Reads the numbers of logs.
enum LogNumber {
  /// Reads a number with a decimal point or, where the locale has it, a decimal comma.
  ///
  /// Both separators may occur; the last one is then the decimal separator. A single comma before exactly three digits
  /// is ambiguous: `nil`.
  static func decimal(_ text: some StringProtocol) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count <= 40, bytes.contains(where: isDigit), let first = bytes.first,
      isDigit(first) || first == point
    else { return nil }
    guard bytes.allSatisfy({ isDigit($0) || $0 == point || $0 == comma }) else { return nil }
    let points = bytes.indices.filter { bytes[$0] == point }
    let commas = bytes.indices.filter { bytes[$0] == comma }
    var mark: Int?
    switch (points.count, commas.count) {
    case (0, 0): break
    case (1, 0): mark = points[0]
    case (0, 1):
      guard bytes.count - commas[0] - 1 != 3 else { return nil }
      mark = commas[0]
    default:
      guard let last = (points + commas).max(), points.count == 1 || commas.count == 1 else {
        return nil
      }
      let isPoint = bytes[last] == point
      guard isPoint ? points.count == 1 : commas.count == 1 else { return nil }
      let others = isPoint ? commas : points
      guard areGroups(others, before: last) else { return nil }
      mark = last
    }
    var number = [UInt8]()
    for (index, byte) in bytes.enumerated() {
      if isDigit(byte) { number.append(byte) }
      if index == mark { number.append(point) }
    }
    guard let value = Double(String(decoding: number, as: UTF8.self)), value < 1e15 else {
      return nil
    }
    return value
  }

  /// Whether three digits follow each of these separators, up to the next separator or to `mark`.
  private static func areGroups(_ separators: [Int], before mark: Int) -> Bool {
    var end = mark
    for separator in separators.reversed() {
      guard end - separator == 4 else { return false }
      end = separator
    }
    return true
  }

  /// Reads a number in the digits of any script, with or without separators of thousands and a fraction, and the text
  /// after it: `1,530毫秒`.
  static func whole(_ text: String) -> (value: Double, rest: String)? {
    var value = 0.0
    var digits = 0
    var fraction: (digits: Int, value: Double)?
    var rest = text[...]
    while let character = rest.first {
      if let digit = character.wholeNumberValue, digit < 10 {
        digits += 1
        guard digits <= 15 else { return nil }
        if let known = fraction {
          fraction = (known.digits + 1, known.value * 10 + Double(digit))
        } else {
          value = value * 10 + Double(digit)
        }
      } else if digits > 0, ".,'\u{2019}\u{66b}\u{66c}\u{a0}\u{202f}\u{2009} ".contains(character) {
        let behind = rest.dropFirst().prefix { $0.wholeNumberValue != nil }.count
        if behind == 3 {
          guard fraction == nil else { return nil }
        } else if behind > 0, ".,\u{66b}".contains(character), fraction == nil {
          fraction = (0, 0)
        } else {
          break
        }
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    guard digits > 0 else { return nil }
    if let fraction {
      value += fraction.value / (0..<fraction.digits).reduce(1.0) { scale, _ in scale * 10 }
    }
    return (value, String(rest))
  }

  private static let point = UInt8(ascii: ".")
  private static let comma = UInt8(ascii: ",")
  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
