// Damaged copies of a good input. A reader may throw on each of them; it must not trap or hang.

/// Returns the lengths at which to cut: every length up to 4 KiB, then every place in `boundaries` and 500 seeded
/// lengths.
package func hostilePrefixLengths(
  of input: [UInt8], boundaries: [Int] = [], seed: UInt64 = 1
) -> [Int] {
  var lengths = Array(0...min(input.count, 4096))
  guard input.count > 4096 else { return lengths }
  lengths += boundaries.filter { $0 > 4096 && $0 <= input.count }
  var random = SeededRandom(seed: seed)
  lengths += (0..<500).map { _ in Int.random(in: 4097...input.count, using: &random) }
  return lengths
}

/// Returns the positions after each line feed: the line boundaries of a text.
package func lineBoundaries(of input: [UInt8]) -> [Int] {
  input.indices.filter { input[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
}

/// Returns `count` copies of `input`, each with one byte changed to a random other value.
package func byteFlips(
  of input: [UInt8], count: Int = 1000, seed: UInt64 = 2
) -> some Sequence<[UInt8]> {
  var random = SeededRandom(seed: seed)
  return (0..<(input.isEmpty ? 0 : count)).lazy.map { _ in
    var copy = input
    let index = Int.random(in: 0..<copy.count, using: &random)
    copy[index] ^= UInt8.random(in: 1...255, using: &random)
    return copy
  }
}
