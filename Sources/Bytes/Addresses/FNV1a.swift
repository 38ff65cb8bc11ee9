/// The hash function FNV-1a with 64 bits: <https://www.rfc-editor.org/rfc/rfc9923>.
package struct FNV1a: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  @inline(__always)
  package mutating func add(_ byte: UInt8) { add(word: UInt64(byte)) }

  /// Adds 64 bits in one step, where the standard has a step for each byte.
  @inline(__always)
  package mutating func add(word: UInt64) { value = (value ^ word) &* 0x100_0000_01b3 }
}
