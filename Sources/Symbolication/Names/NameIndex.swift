// Finds a name among hundreds of thousands in one look, without a String or an allocation per name.
//
// Open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm L) at
// most two thirds full. A slot is 8 bytes: the upper half of the name's hash, and the number of an entry plus
// one; 0 is an empty slot. So a probe that meets another name is told by the slot alone and reads no
// name, and building the index reads each name once. Entries of equal names are chained through `next`
// from the lowest to the highest: ten thousand local functions called `init` cost no more than others.
//
// The hash is `nameHash`: the same names give the same index on every run.

import ByteReading
import ImageModel

/// Entries by name: entry *i* has the name `keys[i]` of `table`.
struct NameIndex: Sendable {
  let table: NameTable
  let keys: [NameReference]
  private var slots: [UInt64]
  /// By entry: the number plus one of the next entry of the same name; 0 at the end.
  private var next: [UInt32]

  /// - Complexity: O(*b*) for *b* bytes in all names.
  init(_ keys: [NameReference], in table: NameTable) {
    precondition(keys.count < Int(UInt32.max), "2^32 functions would fill 160 GB")
    self.table = table
    self.keys = keys
    next = [UInt32](repeating: 0, count: keys.count)
    var slotCount = 16
    while slotCount < keys.count + keys.count / 2 { slotCount *= 2 }
    slots = [UInt64](repeating: 0, count: slotCount)
    // In a loop of its own: nearly each look at a slot misses the caches, and where no hash is computed
    // between two of them the processor waits for several at once.
    let hashes = keys.indices.map { nameHash(table.bytes.span.bytes.extracting(range(of: $0))) }
    // Backwards: a later entry of the same name then stands behind the earlier one in its chain.
    for entry in keys.indices.reversed() {
      let name = range(of: entry)
      let hash = hashes[entry]
      let slot = slot(hash) { equalBytes(table.bytes, name, table.bytes, range(of: $0)) }
      next[entry] = UInt32(truncatingIfNeeded: slots[slot])
      slots[slot] = hash & ~0xffff_ffff | UInt64(entry + 1)
    }
  }

  /// The lowest entry of that name.
  private func first(_ name: [UInt8]) -> Int? {
    let slot = slot(nameHash(name.span.bytes)) {
      equalBytes(name, name.indices, table.bytes, range(of: $0))
    }
    return entry(UInt32(truncatingIfNeeded: slots[slot]))
  }

  /// All entries of that name, ascending.
  func entries(_ name: [UInt8]) -> [Int] {
    var found: [Int] = []
    var current = first(name)
    while let entry = current {
      found.append(entry)
      current = self.entry(next[entry])
    }
    return found
  }

  private func entry(_ numberPlusOne: UInt32) -> Int? {
    numberPlusOne == 0 ? nil : Int(numberPlusOne) - 1
  }

  private func range(of entry: Int) -> Range<Int> {
    let start = Int(keys[entry].offset)
    return start..<start + Int(keys[entry].count)
  }

  /// The slot of the name with that hash, or the empty one where it would go.
  private func slot(_ hash: UInt64, isSameName: (Int) -> Bool) -> Int {
    let mask = slots.count - 1
    // The low half picks the slot, the high half is compared: independent bits.
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash >> 32,
        isSameName(Int(UInt32(truncatingIfNeeded: slots[slot])) - 1)
      {
        return slot
      }
      slot = (slot + 1) & mask
    }
    return slot
  }
}

func equalBytes(_ a: [UInt8], _ ra: Range<Int>, _ b: [UInt8], _ rb: Range<Int>) -> Bool {
  ra.count == rb.count && a[ra].elementsEqual(b[rb])
}
