/// The 32-bit Mersenne Twister (MT19937): `std::mt19937` of C++, number by number.
///
/// Matsumoto, Nishimura, "Mersenne Twister: A 623-Dimensionally Equidistributed Uniform Pseudo-Random Number Generator",
/// ACM TOMACS 8 (1998).
struct MersenneTwister {
  private static let count = 624
  private static let middle = 397
  private var state: [UInt32]
  private var next = count

  init(seed: UInt32) {
    state = [seed]
    state.reserveCapacity(Self.count)
    for i in 1..<Self.count {
      let last = state[i - 1]
      state.append(1_812_433_253 &* (last ^ last >> 30) &+ UInt32(i))
    }
  }

  /// Returns the next 32 random bits.
  mutating func nextWord() -> UInt32 {
    if next == Self.count { advance() }
    var word = state[next]
    next += 1
    word ^= word >> 11
    word ^= word << 7 & 0x9d2c_5680
    word ^= word << 15 & 0xefc6_0000
    return word ^ word >> 18
  }

  /// A number of at least 0 and below 1, as libstdc++'s `std::uniform_real_distribution<float>` makes it: one word,
  /// which is rounded to 24 bits before it is divided.
  mutating func nextFraction() -> Float {
    min(Float(nextWord()) / 4_294_967_296, Float(1).nextDown)
  }

  private mutating func advance() {
    for i in 0..<Self.count {
      let bits = state[i] & 0x8000_0000 | state[(i + 1) % Self.count] & 0x7fff_ffff
      let twist: UInt32 = bits & 1 == 0 ? 0 : 0x9908_b0df
      state[i] = state[(i + Self.middle) % Self.count] ^ bits >> 1 ^ twist
    }
    next = 0
  }
}
