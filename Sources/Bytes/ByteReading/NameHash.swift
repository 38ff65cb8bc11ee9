// The hash function of all name tables. It processes 16 bytes at a time and folds a 128-bit product (the step of
// wyhash, Wang Yi 2019). It has no random seed, so the same names give the same tables in every run. It does not defend
// against names chosen to collide: they would make a table slow, but not wrong.

/// Returns the hash of `name`: the same number for the same bytes on every machine.
///
/// - Complexity: O(*n*) for *n* bytes.
@inlinable public func nameHash(_ name: RawSpan) -> UInt64 {
  let count = name.byteCount
  var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(count)
  var position = 0
  while count - position >= 16 {
    hash = folded(hash ^ word(name, position), multiplier ^ word(name, position + 8))
    position += 16
  }
  if count - position >= 8 {
    hash = folded(hash ^ word(name, position), multiplier)
    position += 8
  }
  var rest: UInt64 = 0
  while position < count {
    rest = rest << 8 | UInt64(name.unsafeLoad(fromByteOffset: position, as: UInt8.self))
    position += 1
  }
  return folded(folded(hash ^ rest, multiplier), multiplier)
}

/// The multiplier of the hash: an odd number with half of its bits set, without a pattern.
@usableFromInline let multiplier: UInt64 = 0xa076_1d64_78bd_642f

/// Returns the exclusive or of both halves of the 128-bit product.
@inlinable @inline(__always) func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let product = a.multipliedFullWidth(by: b)
  return product.high ^ product.low
}
