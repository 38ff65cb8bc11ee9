import Addresses
import ByteReading

/// The sections of an ld64 map, by address.
struct LD64Sections {
  private struct Entry {
    var start: StatedAddress
    /// The end of the section; it is greater than `start`.
    var end: StatedAddress
    /// The section, as an index into the map's sections.
    var section: UInt32
    /// The position of the name in the map.
    var name: Int
  }

  /// The sections that are not empty, ascending by address once `sort` has been called.
  private var entries: [Entry] = []
  private var count: UInt32 = 0
  /// The entry that was found last: consecutive symbols are mostly in the same section.
  private var current: Entry?

  /// - Precondition: `address + size` does not overflow; at most `ParsingLimits.sections` are added.
  mutating func add(_ address: StatedAddress, _ size: UInt64, name: Range<Int>) {
    if size > 0 {
      entries.append(
        Entry(start: address, end: address + size, section: count, name: name.lowerBound))
    }
    count += 1
  }

  /// - Throws: `invalid` if two sections overlap.
  mutating func sort(_ bytes: FileBytes) throws(ParseError) {
    entries.sort { ($0.start, $0.section) < ($1.start, $1.section) }
    for (entry, next) in zip(entries, entries.dropFirst()) where next.start < entry.end {
      let later = max(entry.name, next.name)
      throw ParseError(
        .invalid(
          expected: "sections that do not overlap",
          found: "\(next.start) in the section from \(entry.start) to \(entry.end)"),
        "section", at: FileOffset(rawValue: UInt64(later)),
        line: 1 + (0..<later).count { bytes[$0] == UInt8(ascii: "\n") })
    }
  }

  /// The index of the section that contains `address`; `nil` if none does.
  ///
  /// - Complexity: O(1) if it is the section found last, otherwise O(log *n*) for *n* sections.
  @inline(__always)
  mutating func index(containing address: StatedAddress) -> UInt32? {
    if let current, address >= current.start, address < current.end { return current.section }
    return find(address)
  }

  private mutating func find(_ address: StatedAddress) -> UInt32? {
    let index = entries.partitioningIndex { $0.end > address }
    guard index < entries.count, entries[index].start <= address else { return nil }
    current = entries[index]
    return entries[index].section
  }
}
