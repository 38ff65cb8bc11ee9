import Addresses
import LibC

/// A reader of `/proc/PID/maps` that parses only the lines that differ from the text that it has read before. While a
/// program loads thousands of libraries, nearly all lines stay the same.
package struct MappingReader {
  private var text: [UInt8] = []
  /// The end of each line in `text`, after its line feed.
  private var ends: [Int] = []
  /// The mapping of each line; `nil` for memory without a file.
  private var mappings: [ProcessMapping?] = []

  package init() {}

  /// Returns the mappings of files in `new`, in the order of the lines.
  ///
  /// - Parameter parse: parses a line.
  package mutating func files(
    in new: [UInt8], _ parse: (ArraySlice<UInt8>) -> ProcessMapping?
  ) -> [ProcessMapping] {
    let feed = UInt8(ascii: "\n")
    if text.last != feed { (text, ends, mappings) = ([], [], []) }
    let old = text
    let shorter = min(old.count, new.count)
    let prefix = Self.largest(shorter) { memcmp(old, new, $0) == 0 }
    let kept = ends.partitioningIndex { $0 > prefix }
    let start = kept == 0 ? 0 : ends[kept - 1]
    let suffix = Self.largest(shorter - start) {
      memcmp(Array(old.suffix($0)), Array(new.suffix($0)), $0) == 0
    }
    // The line feed before a kept line is in the suffix, too, so that the line begins there in both texts.
    let rest = min(ends.partitioningIndex { $0 > old.count - suffix } + 1, ends.count)
    let tail = rest == 0 ? 0 : ends[rest - 1]
    let distance = new.count - old.count
    var (newEnds, newMappings): ([Int], [ProcessMapping?]) = ([], [])
    var next = start
    for line in new[start..<tail + distance].split(
      separator: feed, omittingEmptySubsequences: false)
    where next < tail + distance {
      next = min(line.endIndex + 1, new.count)
      newEnds.append(next)
      newMappings.append(parse(line))
    }
    let later = distance == 0 ? ends[rest...] : ArraySlice(ends[rest...].map { $0 + distance })
    ends.replaceSubrange(kept..., with: newEnds + later)
    mappings.replaceSubrange(kept..<rest, with: newMappings)
    text = new
    return mappings.compactMap { $0 }
  }

  /// Returns the largest number up to `limit` for which `isTrue` holds. `isTrue` must hold for all smaller numbers, too.
  private static func largest(_ limit: Int, _ isTrue: (Int) -> Bool) -> Int {
    var (low, high) = (0, limit)
    while low < high {
      let middle = (low + high + 1) / 2
      if isTrue(middle) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
