// What do processes have in memory at a moment of a launch?
//
// The kernel reports when memory is mapped, but not when it is unmapped: munmap(2) has no record. So a mapping is kept
// until another mapping takes its place, which is what a loader does with the parts of an image, or until the process
// executes another program. Unmapped memory takes no faults, so a mapping that is kept too long does no harm.

import Addresses

/// The mappings of the processes of a launch. Call `note` with each event, by time.
package struct ProcessMappings: Sendable {
  /// The mappings of each process, ascending and disjoint.
  private var mappings: [Int32: [PageFaultEvent.Mapping]] = [:]

  package init() {}

  /// - Complexity: O(*m*) for *m* mappings of the process.
  package mutating func note(_ event: PageFaultEvent) {
    switch event {
    case .fault: break
    case .exec(let process): mappings[process] = nil
    case .fork(let process, let parent):
      if process != parent { mappings[process] = mappings[parent] }
    case .mapping(let mapping, let process):
      guard !mapping.addresses.isEmpty else { return }
      Self.add(mapping, to: &mappings[process, default: []])
    }
  }

  /// - Complexity: O(log *m*) for *m* mappings of the process.
  package func mapping(of process: Int32, at address: LoadedAddress) -> PageFaultEvent.Mapping? {
    guard let all = mappings[process] else { return nil }
    let end = all.partitioningIndex { $0.addresses.lowerBound > address }
    guard end > 0, all[end - 1].addresses.contains(address) else { return nil }
    return all[end - 1]
  }

  /// Adds a mapping, and removes what it covers. An old mapping may keep a part on each side of it.
  private static func add(
    _ new: PageFaultEvent.Mapping, to mappings: inout [PageFaultEvent.Mapping]
  ) {
    let (start, end) = (new.addresses.lowerBound, new.addresses.upperBound)
    let first = mappings.partitioningIndex { $0.addresses.upperBound > start }
    let last = mappings.partitioningIndex { $0.addresses.lowerBound >= end }
    var parts = [new]
    for old in mappings[first..<max(first, last)] {
      if old.addresses.lowerBound < start {
        var part = old
        part.addresses = old.addresses.lowerBound..<start
        parts.insert(part, at: 0)
      }
      if old.addresses.upperBound > end {
        var part = old
        part.addresses = end..<old.addresses.upperBound
        let skipped = end - old.addresses.lowerBound
        part.fileOffset = FileOffset(rawValue: old.fileOffset.rawValue &+ skipped)
        parts.append(part)
      }
    }
    mappings.replaceSubrange(first..<max(first, last), with: parts)
  }
}
