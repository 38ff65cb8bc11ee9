// What a recording says that the kernel paged in
//
// Instruments records each page fault of a process with its kind, its exact address and its duration. A
// `File Backed Page In` is the first touch of a page of a file that was not in use: the kernel reports
// that kind if it read the page for this fault, but also if the page had come with the cluster of an
// earlier fault (`vm_fault_enter` in osfmk/vm/vm_fault.c, xnu-11417.101.15). So the number of such pages is
// to be held against the predicted pages, and not against the predicted reads, which are fewer.
//
// Each page counts once, for the section in which its first fault lies: the rows add up to the total. A
// second fault on a page, after the kernel took it away, adds its duration and no page.
//
// Recorded is what was not in memory. A launch right after another finds most of its pages there, and a
// recording of it says little about a layout: restart the device before each.

import Addresses
import ImageModel

/// One fault in which a page came from a file, as a recording has it.
package struct PageInFault: Hashable, Sendable {
  /// In the image's own addresses, or outside of it.
  package var address: StatedAddress
  /// `nil` where the recording does not say.
  package var durationNanoseconds: UInt64?

  package init(address: StatedAddress, durationNanoseconds: UInt64?) {
    self.address = address
    self.durationNanoseconds = durationNanoseconds
  }
}

/// The page-ins of one launch in one image, by section: measured, not predicted.
package struct MeasuredPageIns: Hashable, Sendable {
  package struct Count: Hashable, Sendable {
    /// Distinct pages.
    package var pages = 0
    /// Of all faults, as far as they say; `nil` if none does.
    package var nanoseconds: UInt64?

    package init(pages: Int = 0, nanoseconds: UInt64? = nil) {
      self.pages = pages
      self.nanoseconds = nanoseconds
    }

    /// Adds what two places of one image took.
    package static func + (a: Self, b: Self) -> Self {
      var sum = a
      sum.pages += b.pages
      sum.add(nanoseconds: b.nanoseconds)
      return sum
    }

    /// Stays at the top if it would pass that.
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

  /// The places in which a page was paged in, in the order in which they were given; they sum up to
  /// `total`.
  package let rows: [Row]
  package var total: Count { rows.map(\.count).reduce(Count(), +) }

  /// Counts the faults in an image; those outside of all `places` are left out.
  ///
  /// - Parameters:
  ///   - faults: by time.
  ///   - places: sections, and behind them the segments, which count what is in no section: an address
  ///     counts for the first place that holds it. Places of one name share a row.
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
