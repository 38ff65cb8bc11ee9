import Addresses
import ImageModel

/// The executable sections of a layout, or the sections that a condition selects, for finding the section of an
/// address.
struct CodeSections {
  private var ranges: [(range: AddressRange, index: UInt32)]
  /// The section found last: neighbors in a symbol table are often in the same section.
  private var last = 0

  init(_ sections: [Section], where isIncluded: (Section) -> Bool = { $0.isExecutable }) {
    ranges = sections.indices.filter { isIncluded(sections[$0]) && sections[$0].range.size > 0 }
      .map { (sections[$0].range, UInt32($0)) }
    ranges.sort { ($0.range.start, $0.index) < ($1.range.start, $1.index) }
  }

  /// The index of the section that contains `address`, in the array passed to the initializer.
  ///
  /// - Complexity: O(1) if the section is the one found last, otherwise O(log *n*).
  mutating func index(containing address: StatedAddress) -> UInt32? {
    if last < ranges.count, ranges[last].range.contains(address) { return ranges[last].index }
    let next = ranges.partitioningIndex { $0.range.start > address }
    guard next > 0, ranges[next - 1].range.contains(address) else { return nil }
    last = next - 1
    return ranges[last].index
  }
}
