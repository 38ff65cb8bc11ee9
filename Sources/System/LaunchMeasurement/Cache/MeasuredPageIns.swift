// The page-ins of a recording
//
// Instruments records each page fault of a process with its kind, its exact address and its duration. A `File
// Backed Page In` is the first touch of a page of a file that was not in use. The kernel reports that kind if
// it read the page for this fault, and also if the page was read with the cluster of an earlier fault
// (`vm_fault_enter` in osfmk/vm/vm_fault.c, xnu-11417.101.15). So the number of such pages must be compared
// with the predicted pages, and not with the predicted reads, which are fewer.
//
// Each page counts once, for the section in which its first fault lies, so the rows add up to the total. A
// second fault on a page that the kernel evicted in between adds its duration but no page.
//
// Only pages that were not in memory are recorded. A launch right after another finds most of its pages in
// memory, and its recording says little about the layout: restart the device before each launch.

import Addresses
import ImageModel

/// A fault in which a page came from a file, as recorded.
package struct PageInFault: Hashable, Sendable {
  /// The address without slide; it may be outside of the image.
  package var address: StatedAddress
  /// The duration of the fault in nanoseconds; `nil` if the recording does not state it.
  package var durationNanoseconds: UInt64?

  package init(address: StatedAddress, durationNanoseconds: UInt64?) {
    self.address = address
    self.durationNanoseconds = durationNanoseconds
  }
}

/// The page-ins of one launch in one image, by section. They are measured, not predicted.
package struct MeasuredPageIns: Hashable, Sendable {
  package struct Count: Hashable, Sendable {
    /// The number of distinct pages.
    package var pages = 0
    /// The total duration of the faults whose duration is known; `nil` if no duration is known.
    package var nanoseconds: UInt64?

    package init(pages: Int = 0, nanoseconds: UInt64? = nil) {
      self.pages = pages
      self.nanoseconds = nanoseconds
    }

    /// Returns the sum of the figures of two places of one image.
    package static func + (a: Self, b: Self) -> Self {
      var sum = a
      sum.pages += b.pages
      sum.add(nanoseconds: b.nanoseconds)
      return sum
    }

    /// Adds a duration. A sum that would overflow stays at the maximum.
    fileprivate mutating func add(nanoseconds more: UInt64?) {
      guard let more else { return }
      let (sum, overflow) = (nanoseconds ?? 0).addingReportingOverflow(more)
      nanoseconds = overflow ? .max : sum
    }
  }

  package struct Row: Hashable, Sendable {
    package var name: SymbolName
    package var count: Count

    package init(name: SymbolName, count: Count) {
      self.name = name
      self.count = count
    }
  }

  /// The places with at least one page-in, in the given order; the counts add up to `total`.
  package let rows: [Row]
  package var total: Count { rows.map(\.count).reduce(Count(), +) }

  /// Counts the faults in an image; those outside of all `places` are left out.
  ///
  /// - Parameters:
  ///   - faults: the faults by time.
  ///   - places: the sections, then the segments. An address counts for the first place that contains it, so a segment
  ///     counts the faults that are in none of its sections. Places of the same name share a row.
  /// - Complexity: O(*n* *p*) for *n* faults and *p* places.
  package init(
    _ faults: [PageInFault], in places: [(name: SymbolName, range: AddressRange)],
    pageSize: PageSize
  ) {
    var rows = places.map { Row(name: $0.name, count: Count()) }
    var seen: Set<StatedPage> = []
    var hasFault = [Bool](repeating: false, count: places.count)
    for fault in faults {
      guard let first = places.firstIndex(where: { $0.range.contains(fault.address) }) else {
        continue
      }
      let place = places.firstIndex { $0.name == places[first].name } ?? first
      hasFault[place] = true
      rows[place].count.add(nanoseconds: fault.durationNanoseconds)
      if seen.insert(pageSize.page(of: fault.address)).inserted { rows[place].count.pages += 1 }
    }
    self.rows = rows.indices.filter { hasFault[$0] }.map { rows[$0] }
  }
}
