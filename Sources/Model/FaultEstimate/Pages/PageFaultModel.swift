// The page-fault model
//
// A cold launch loads code page by page: the first instruction fetched from a page that is not in memory
// costs a page fault, every later one is free. So the model of a launch is a set:
//
//     the pages that hold at least one byte of a startup function.
//
// If the trace has the basic blocks that ran, the set has the pages that hold at least one byte of these blocks. "Bytes
// of a startup function" below then means the bytes of these blocks.
//
// For a Mach-O image, the pages that a launch reads in any case are added: `MachOText` lists them. They are present
// from the first step on. For an ELF image, code that is known to run is added: the C runtime, initializers, entries of
// linkage tables that startup functions call (`ImpliedTouches`).
//
// The size of the set is the predicted number of page faults of a layout. An order file is good if it makes the set
// small. The set cannot be smaller than the number of pages that the startup bytes fill: the *floor*.
//
// A worked example, with pages of 4 KiB (0x1000) and one section:
//
//     function   address   size     pages      new bytes   new pages
//     main       0x1000      16     1                 16   1
//     parse      0x1ff8      16     1, 2              16   2           straddles two pages
//     parse_     0x1ff8      16     1, 2               0   -           an alias: the same body
//     entry.s    0x3000       0     3                  0   3           unknown size: its entry's page
//     late       0x9000    4096     not a startup function
//
//     3 startup functions, 32 startup bytes, 3 pages, floor 1 page.
//
// An order file that packs them would place all three on one page. The 64 KiB windows are counted in the same way: a
// fault on Linux maps the cached pages in the aligned 64 KiB around it ("fault-around"), so a *warm* launch takes one
// minor fault per window and not per page.
//
// Sections share pages (`.init` and `.text` usually do), and the rows of a report must add up to its total.
// So the sections are counted in descending order of their startup bytes, and each section counts what it *adds*: a
// page shared by two sections counts for the larger one, and 27 bytes of `.init` that fit after `.text` add nothing.
// Sections that count whole come after the sections with startup functions, so that the rows of the latter show what an
// order file can change. The floor follows the same rule, for an imaginary layout in which the startup bytes of all
// sections are packed from the start of a page, the largest section first. So the total floor is exactly ceil(startup
// bytes / page size), never more than the pages.
//
// Method: bytes in one sweep by address that remembers the end of the counted bytes; pages and windows by painting
// ranges (`UnpaintedPages`). No page is stored, so a function that claims to have 2^60 bytes costs no more than any
// other.
//
// What it leaves out:
// - The functions that an unrecorded initializer calls, and in Mach-O images the initializers themselves.
// - Bodies that the linker or compiler merged under another name, and code that ran without being entered as
//   a function: cold parts, coroutine continuations, thunks.
// - Reads: constants, unwind tables, strings, and the faults of data pages.
// - Parts: of a large function often only a small part runs, but all its pages count if no blocks were
//   recorded.
// - Read-ahead: the kernel reads neighbors of a faulting page, so a cold launch waits for fewer reads than it
//   touches pages. See `XNUReadModel`, and `FaultCurve` for the value of ascending order.
// - Names of several functions: a trace by name cannot distinguish them, and all are counted.
//
// The limit: on one Swift package (2.7 MB of text, 599 startup functions, 4 KiB pages) a tracer that removes
// execute permission counted 147 pages before and 89 after. The model predicted 150 and 56: 2% too many
// before and 37% too few after, because what an order file cannot name stays where it was. With 16 KiB
// pages: 58 instead of 59 before, 15 instead of 39 after. The predicted saving was too large by factors of
// 1.6 and 2.2. Use the model to compare layouts, and label each number *predicted*.

import Addresses
import ImageModel

/// The page faults that a cold launch takes in the code of a layout. This is a model, not a measurement.
package struct PageFaultEstimate: Sendable {
  /// One section's share of `total`: the figures that it adds to the sections that are counted before it.
  package struct SectionRow: Hashable, Sendable {
    package var name: SymbolName
    /// The cause for which the section is counted.
    package var cause: TouchCause
    package var touched: TouchedPages
  }

  package let pageSize: PageSize
  /// The sections that a launch touches, ascending by address, followed by the rows that `LaunchFacts` adds, by cause.
  /// All rows add up to `total`.
  package let sections: [SectionRow]
  package let total: TouchedPages
  package let curve: FaultCurve
  /// Whether the estimate is for a Mach-O image, in which some sections of `__TEXT` count whole.
  package var isMachO: Bool { launch.imageFormat == .machO }
  /// The predicted reads of a Mach-O image by each kernel with pages of this size; empty for another format.
  package let xnuReads: [XNUReads]
  /// The predicted faults of an ELF image on Linux; `nil` for another format.
  package let linuxFaults: LinuxFaults?
  let launch: LaunchTouches

  /// Estimates a launch whose step *i* is the first use of function `startup[i]`.
  ///
  /// - Parameter startup: indexes into `layout.functions`, earliest use first; repeats change nothing.
  /// - Complexity: O(*s* log *s* + *k* log *k*) for *s* startup functions and *k* sections.
  package init(
    of layout: Layout, startup: [Int], pageSize: PageSize, facts: LaunchFacts = LaunchFacts()
  ) {
    self.init(of: layout, steps: startup.map { [Part($0)] }, pageSize: pageSize, facts: facts)
  }

  /// Estimates a launch in which a step may touch several functions or none.
  ///
  /// A function ends at its section's end at the latest; one that begins outside its section counts with its
  /// first byte's page and no bytes. A launch without steps touches nothing.
  ///
  /// - Parameter steps: the parts that each step uses; repeats change nothing.
  /// - Complexity: O(*s* log *s* + *k* log *k*) for *s* parts and *k* sections, and O(*p*) on average
  ///   for *p* pages read where `xnuReads` are simulated.
  package init(
    of layout: Layout, steps: [[Part]], pageSize: PageSize, facts: LaunchFacts = LaunchFacts(),
    kernel: LinuxKernel = LinuxKernel()
  ) {
    self.pageSize = pageSize
    let launch = LaunchTouches(of: layout, steps: steps, facts: facts)
    self.launch = launch
    let ranges = launch.ranges
    var rows = launch.countBytes()
    let largestFirst = rows.indices.sorted { a, b in
      let (aHasFunctions, bHasFunctions) = (
        launch.rows[a].cause == .startupFunction, launch.rows[b].cause == .startupFunction
      )
      if aHasFunctions != bHasFunctions { return aHasFunctions }
      return (rows[b].startupBytes, a) < (rows[a].startupBytes, b)
    }
    var rank = [Int](repeating: 0, count: rows.count)
    for (place, row) in largestFirst.enumerated() { rank[row] = place }
    let inTurn = ranges.indices.sorted { rank[ranges[$0].row] < rank[ranges[$1].row] }

    let pages = ranges.map { pageSize.pages(of: $0.bytes) }
    var unpainted = UnpaintedPages(of: pages)
    for index in inTurn { rows[ranges[index].row].pages += unpainted.paint(pages[index]) }
    let windows = ranges.map { PageSize.sixtyFourKibibytes.pages(of: $0.bytes) }
    unpainted = UnpaintedPages(of: windows)
    for index in inTurn { rows[ranges[index].row].windows64k += unpainted.paint(windows[index]) }
    Self.distributeFloor(over: &rows, largestFirst, pageSize: pageSize)

    sections = rows.indices.filter { rows[$0] != TouchedPages() }.map {
      SectionRow(
        name: launch.rows[$0].name, cause: launch.rows[$0].cause, touched: rows[$0])
    }
    total = rows.reduce(TouchedPages(), +)
    curve = FaultCurve(
      zip(ranges, pages).map { (step: $0.step, pages: $1) }, stepCount: steps.count)
    xnuReads = XNUReads.simulating(launch, pageSize: pageSize, pageCount: total.pages)
    linuxFaults = LinuxFaults.simulating(
      launch, facts, kernel, pageSize: pageSize, pageCount: total.pages)
  }

  /// Gives each row the pages that its bytes add when all rows' bytes are packed.
  private static func distributeFloor(
    over rows: inout [TouchedPages], _ largestFirst: [Int], pageSize: PageSize
  ) {
    var bytes: UInt64 = 0
    var pages = 0
    for index in largestFirst where rows[index] != TouchedPages() {
      bytes += rows[index].startupBytes
      let wholePages = bytes / pageSize.bytes + (bytes % pageSize.bytes == 0 ? 0 : 1)
      let packed = max(1, Int(wholePages))  // something was touched, even if its size is 0
      rows[index].floorPages = packed - pages
      pages = packed
    }
  }
}
