/// The binary logarithms of whole numbers as `Float`, each the nearest to the exact value.
struct BinaryLogarithms {
  /// The logarithms of 0 (taken to be 0), 1, 2 and so on.
  private let table: [Float] = (0..<16384).map { $0 == 0 ? 0 : Float(exact($0)) }

  subscript(number: UInt32) -> Float {
    number < table.count ? table[Int(number)] : Float(Self.exact(number))
  }

  /// - Precondition: `number` is not 0.
  private static func exact(_ number: UInt32) -> Double {
    var exponent = Double(number).exponent
    var significand = Double(number).significand
    if significand > 1.414_213_562_373_095_1 {
      significand /= 2
      exponent += 1
    }
    // ln(m) = 2 (s + s^3/3 + s^5/5 + ...); s is below 0.172, so that 12 terms are exact to 53 bits.
    let s = (significand - 1) / (significand + 1)
    var sum = 0.0
    for k in (0..<12).reversed() { sum = sum * s * s + 1 / Double(2 * k + 1) }
    return Double(exponent) + 2 * s * sum * 1.442_695_040_888_963_4
  }
}
