import ImageModel

/// Finds the place of a name in a list of names, for bytes that lie in a name table: no copy is made.
///
/// An open-addressing hash table of our own, because the standard `Hasher` takes the bytes of an
/// `ArraySlice` one call at a time, and a comparison of layouts hashes each name of both.
struct NameIndex {
  private let names: [SymbolName]
  /// The upper half of a name's hash above its place in `names` + 1; 0 where empty. Their number is a
  /// power of two, and at most half of them are taken.
  private var slots: [UInt64]
  private let mask: Int

  /// Of equal names the first one counts.
  ///
  /// - Complexity: O(*b*) for *b* bytes in all names, if they do not collide.
  init(_ names: [SymbolName]) {
    precondition(names.count < UInt32.max, "slots hold places of 32 bits")
    var capacity = 16
    while capacity < 2 * names.count { capacity *= 2 }
    self.names = names
    mask = capacity - 1
    slots = [UInt64](repeating: 0, count: capacity)
    for place in names.indices {
      let bytes = names[place].bytes[...]
      let hash = Self.hash(bytes)
      let slot = slot(of: bytes, hash: hash)
      if slots[slot] == 0 { slots[slot] = (hash & ~0xffff_ffff) | UInt64(place + 1) }
    }
  }

  /// The place of the first name with these bytes; `nil` if there is none.
  ///
  /// - Complexity: O(*b*) for *b* bytes.
  func place(of bytes: ArraySlice<UInt8>) -> Int? {
    let entry = slots[slot(of: bytes, hash: Self.hash(bytes))]
    return entry == 0 ? nil : Self.place(entry)
  }

  private static func place(_ entry: UInt64) -> Int { Int(entry & 0xffff_ffff) - 1 }

  /// The slot that holds `bytes`, or the empty one where they belong.
  private func slot(of bytes: ArraySlice<UInt8>, hash: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let entry = slots[slot]
      if entry >> 32 == hash >> 32, names[Self.place(entry)].bytes[...] == bytes { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  /// FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>, in four lanes: one multiplication need not
  /// wait for the one before.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    let prime: UInt64 = 0x100_0000_01b3
    var lanes: (UInt64, UInt64, UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 1, 2, 3)
    var index = bytes.startIndex
    while bytes.endIndex - index >= 4 {
      lanes.0 = (lanes.0 ^ UInt64(bytes[index])) &* prime
      lanes.1 = (lanes.1 ^ UInt64(bytes[index + 1])) &* prime
      lanes.2 = (lanes.2 ^ UInt64(bytes[index + 2])) &* prime
      lanes.3 = (lanes.3 ^ UInt64(bytes[index + 3])) &* prime
      index += 4
    }
    while index < bytes.endIndex {
      lanes.0 = (lanes.0 ^ UInt64(bytes[index])) &* prime
      index += 1
    }
    var hash = (lanes.0 ^ (lanes.1 >> 32) ^ lanes.1) &* prime
    hash = (hash ^ (lanes.2 >> 32) ^ lanes.2) &* prime
    hash = (hash ^ (lanes.3 >> 32) ^ lanes.3) &* prime
    return hash ^ (hash >> 32)  // the low bits alone mix badly
  }
}
