import ImageModel

/// Finds the place of a name in a list of names, for bytes that lie in a name table: no copy is made.
///
/// An open-addressing hash table of our own, because hashing an `ArraySlice<UInt8>` with the standard
/// `Hasher` visits the bytes one call at a time and takes five times as long.
struct NameIndex {
  private let names: [SymbolName]
  /// Places in `names`, -1 where empty; a power of two, at most half full.
  private var slots: [Int32]
  private let mask: Int

  /// Of equal names the first one counts.
  ///
  /// - Complexity: O(*b*) for *b* bytes in all names, if they do not collide.
  init(_ names: [SymbolName]) {
    precondition(names.count < 1 << 30, "slots hold 32-bit places, twice as many as names")
    var capacity = 16
    while capacity < 2 * names.count { capacity *= 2 }
    self.names = names
    mask = capacity - 1
    slots = [Int32](repeating: -1, count: capacity)
    for place in names.indices {
      let slot = slot(of: names[place].bytes[...])
      if slots[slot] < 0 { slots[slot] = Int32(place) }
    }
  }

  /// The place of the first name with these bytes; `nil` if there is none.
  ///
  /// - Complexity: O(*b*) for *b* bytes.
  func place(of bytes: ArraySlice<UInt8>) -> Int? {
    let place = slots[slot(of: bytes)]
    return place < 0 ? nil : Int(place)
  }

  /// The slot that holds `bytes`, or the empty one where they belong.
  private func slot(of bytes: ArraySlice<UInt8>) -> Int {
    // FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>, folded: the low bits alone mix badly.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    var slot = Int(truncatingIfNeeded: hash ^ (hash >> 32)) & mask
    while slots[slot] >= 0, names[Int(slots[slot])].bytes[...] != bytes { slot = (slot + 1) & mask }
    return slot
  }
}
