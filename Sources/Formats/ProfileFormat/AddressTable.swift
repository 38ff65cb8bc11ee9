import Addresses

/// Places by address: a hash table with linear probing. The standard library's hash resists chosen keys, and takes
/// several times as long; that was half of the time of folding a launch. Chosen addresses make this table slow, but not
/// wrong.
struct AddressTable: Sendable {
  /// The number of slots is a power of two; a free slot has no place.
  private var slots: [(address: StatedAddress, place: Int)] = [Self.free]
  private var count = 0
  private static let free = (address: StatedAddress(rawValue: 0), place: -1)

  /// Returns the place of `address`. If it has none, its place is `new` from now on.
  mutating func place(of address: StatedAddress, orAdding new: Int) -> Int {
    if 4 * count >= 3 * slots.count { grow() }
    let slot = slot(of: address)
    if slots[slot].place >= 0 { return slots[slot].place }
    slots[slot] = (address, new)
    count += 1
    return new
  }

  /// Returns the slot that has `address`, or the free slot for `address`.
  private func slot(of address: StatedAddress) -> Int {
    let mask = slots.count - 1
    // The slot is chosen by the high bits of the product, which depend on all bits of the address.
    var slot = Int(truncatingIfNeeded: address.rawValue &* 0x9e37_79b9_7f4a_7c15 >> 32) & mask
    while slots[slot].place >= 0, slots[slot].address != address { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Self.free, count: max(16, 2 * old.count))
    for entry in old where entry.place >= 0 { slots[slot(of: entry.address)] = entry }
  }
}
