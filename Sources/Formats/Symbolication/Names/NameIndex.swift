// Finds a name among hundreds of thousands with one look-up, without a String or an allocation per name.
//
// Open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4, algorithm L) at most two thirds
// full. A slot is 8 bytes: the upper half of the name's hash, and the number of an entry plus one; 0 is an empty slot.
// So a probe that hits another name usually detects it by the slot and reads no name, and building the index reads each
// name once. Entries with equal names are chained through `next` in ascending order: ten thousand local functions
// called `init` cost no more than others.
//
// The hash is `nameHash`: the same names give the same index on every run.

import ByteReading
import ImageModel

/// An index of entries by name: entry *i* has the name `keys[i]` of `table`.
package struct NameIndex: Sendable {
  let table: NameTable
  let keys: [NameReference]
  private var slots: [UInt64]
  /// For each entry, the next entry with the same name, plus one; 0 at the end.
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
    // A separate loop: nearly every access to a slot misses the caches, and without hash computations in between the
    // processor can wait for several accesses at once.
    let hashes = keys.indices.map { nameHash(table.bytes.span.bytes.extracting(range(of: $0))) }
    // The entries are added from the last to the first, so that each chain ascends.
    for entry in keys.indices.reversed() {
      let name = range(of: entry)
      let hash = hashes[entry]
      let slot = slot(hash) { equalBytes(table.bytes, name, table.bytes, range(of: $0)) }
      next[entry] = UInt32(truncatingIfNeeded: slots[slot])
      slots[slot] = hash & ~0xffff_ffff | UInt64(entry + 1)
    }
  }

  /// Returns the lowest entry with the name `name`.
  func first(_ name: [UInt8]) -> Int? {
    let slot = slot(nameHash(name.span.bytes)) {
      equalBytes(name, name.indices, table.bytes, range(of: $0))
    }
    return entry(UInt32(truncatingIfNeeded: slots[slot]))
  }

  /// Whether an entry after `entry` has the same name.
  func hasNamesakes(_ entry: Int) -> Bool { next[entry] != 0 }

  /// Whether an entry has that name.
  package func contains(_ name: [UInt8]) -> Bool { first(name) != nil }

  /// Returns all entries with the name `name`, ascending.
  func entries(_ name: [UInt8]) -> [Int] {
    var found: [Int] = []
    _ = contains(name) { entry in
      found.append(entry)
      return false
    }
    return found
  }

  /// Whether `predicate` holds for an entry with that name. It is called in ascending order of the entries, until it
  /// holds.
  func contains(_ name: [UInt8], where predicate: (Int) -> Bool) -> Bool {
    var current = first(name)
    while let entry = current {
      if predicate(entry) { return true }
      current = self.entry(next[entry])
    }
    return false
  }

  private func entry(_ numberPlusOne: UInt32) -> Int? {
    numberPlusOne == 0 ? nil : Int(numberPlusOne) - 1
  }

  private func range(of entry: Int) -> Range<Int> {
    let start = Int(keys[entry].offset)
    return start..<start + Int(keys[entry].count)
  }

  /// The slot of the name with that hash, or the empty slot where it belongs.
  private func slot(_ hash: UInt64, isSameName: (Int) -> Bool) -> Int {
    let mask = slots.count - 1
    // The low half of the hash selects the slot, and the independent high half is compared with the slot.
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
