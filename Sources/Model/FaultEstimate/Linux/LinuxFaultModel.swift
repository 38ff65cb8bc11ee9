// The Linux fault model
//
// A launch on Linux does not take one fault for each page it touches, because of two mechanisms. This model
// simulates both over the first touches of a launch, in time order:
//
// *Fault-around*: a fault maps its own page and also every page of the file that is already in memory and in
// the same window of 64 KiB. It reads nothing. So a *warm* launch, with the whole file in memory, takes one
// minor fault for each window. The window is aligned in the address space of the process, not in the file, so
// loading the image 4 KiB further shifts every window; it ends at the end of the mapping, the page table or
// the file. If the mapping begins inside a window, the first window begins with it and still has its full
// length, so that it extends into the next one (`do_fault_around` in mm/memory.c, `filemap_map_pages` in
// mm/filemap.c).
//
// *Read-ahead*: a fault on a page that is not in memory (major) reads more than that page. The window is
//
//     forward   executable mappings since Linux 6.16: from the page on, within the mapping. If the
//               processor prefers executable pages in units (64 KiB on AArch64), it consists of whole units.
//     around    older kernels, and mappings that are not executable: half before the page, half after it,
//               within the file. The first page of the last quarter is *marked*.
//
// A marked page is not mapped by fault-around. Its own fault (minor) clears the mark and reads the next
// window, which follows this one, is marked at its beginning, has twice the size up to the largest, and ends
// at a multiple of 4, then 16 pages and so on if that is after its beginning (`do_sync_mmap_readahead`,
// `do_async_mmap_readahead`, `page_cache_async_ra` in mm/readahead.c).
//
// The kernel counts misses: plus one for each page read on demand, minus one for each page that fault-around
// finds. Above 100 it reads single pages (`MMAP_LOTSAMISS`); with read-ahead of one page this makes no
// difference.
//
// A worked example, with windows and reads of 16 pages, in a mapping of pages 3 to 99 at addresses of the
// same number; numbers in brackets are read, those in parentheses mapped:
//
//     touch    5               2                        19                    40
//     warm     (3-18)          -  (outside)             (19-31)               (32-47)         3 minor
//     cold     [5-20] (5-18)                            (19, 20)              [40-55] (40-47) 2 major, 1 minor
//
// Bound: at most one fault per touched page; a touched window of 64 KiB needs at least one, except for the
// overhang of the first window. Cold and warm faults have the same bound.
//
// Sources: Linux 6.18; the branch for executable mappings is commit 3b61a3f08949 (6.16).
// docs/what-it-prints/PREDICTION.md describes how it was checked: in `LinuxKernelTests` the running kernel takes the
// faults.
//
// What it leaves out:
// - Time. A page that another fault has begun to read is not in memory yet: a launch that touches it before
//   the data arrives waits, and the kernel counts a major fault that the model does not.
// - Other mappings of the file. The loader reads the dynamic symbols and the code reads constants, both with
//   windows *around* that extend into the text. Their touches can be simulated too, if they are known.
// - What is in memory before a cold launch, except for the first pages, which the kernel reads with the
//   header.
// - Large folios that an earlier reader or writer left: since 6.18 fault-around maps one as a whole, so that
//   a file fresh from the linker or from cp takes fewer faults (27 instead of 39 in one case) than after it
//   has been read from its device. And processors that map many pages with one entry.
// - File systems that read in other units, and scarce memory.

import Addresses
import ImageModel

/// The properties of a kernel that determine the faults of a launch.
package struct LinuxKernel: Hashable, Sendable {
  package enum ReadAhead: String, CaseIterable, Sendable {
    /// The kernel reads from the faulting page on: executable mappings since Linux 6.16.
    case forward
    /// The kernel reads around the faulting page: all mappings before Linux 6.16, and since then mappings that are not
    /// executable.
    case around
  }

  /// The size of fault-around windows in bytes (`fault_around_bytes`); the size of one page disables fault-around.
  package var faultAroundBytes: UInt64 = 64 << 10
  /// The read-ahead of the device in bytes (`read_ahead_kb`); 0 disables read-ahead.
  package var readAheadBytes: UInt64 = 128 << 10
  package var readAhead = ReadAhead.forward
  /// The unit in which executable pages are read: 64 KiB on AArch64, otherwise the page size.
  package var executableUnitBytes: UInt64 = 0
  /// The largest folio of the file system: ext4 has large folios since Linux 6.16.
  package var largestFolioBytes: UInt64 = 0

  package init() {}
}

/// A mapping of a file, in pages.
package struct LinuxMapping: Hashable, Sendable {
  package var pages: Range<LoadedPage>
  /// The page of the file that lies at the first of `pages`.
  package var firstFilePage: FilePage

  package init(pages: Range<LoadedPage>, firstFilePage: FilePage) {
    self.pages = pages
    self.firstFilePage = firstFilePage
  }

  var filePages: Range<FilePage> { firstFilePage..<firstFilePage + UInt64(pages.count) }

  /// - Parameter page: a page of the mapping, one of `pages`.
  func filePage(at page: LoadedPage) -> FilePage { firstFilePage + (page - pages.lowerBound) }
}

/// The kernel's actions during a launch so far.
package struct LinuxFaultModel: Sendable {
  package enum Fault: Hashable, Sendable {
    /// The fault was minor: the page was in memory.
    case minor
    /// The fault was major: the page was read from the device.
    case major
  }

  private static let mostMisses = 100
  private static let missLimit = 1000

  let aroundPages: UInt64
  let readAheadPages: UInt64
  private let readAhead: LinuxKernel.ReadAhead
  let unitPages: UInt64
  private let largestOrder: Int
  let tableEntries: UInt64
  /// The page after the last page of the file.
  let fileEnd: FilePage
  let isAllInMemory: Bool

  package internal(set) var minorFaults = 0
  package internal(set) var majorFaults = 0
  /// The pages of the file that were read, with the pages that the kernel reads for the header, but
  /// without the pages counted in `pagesOfRuns`.
  package internal(set) var pagesInMemory: Set<FilePage> = []
  /// The number of pages of long runs that were read and are not in `pagesInMemory`.
  package internal(set) var pagesOfRuns: UInt64 = 0
  var mapped: Set<LoadedPage> = []
  /// Marked pages, each with the folio that contains it.
  var marked: [FilePage: Range<FilePage>] = [:]
  var misses = 0
  /// The kernel's state of read-ahead (`struct file_ra_state`), in pages.
  typealias Window = (start: FilePage, size: UInt64, ahead: UInt64)
  /// The read-ahead window that was read last.
  var window: Window = (.first, 0, 0)
  var order = 0

  /// - Parameters:
  ///   - fileBytes: the size of the file.
  ///   - isWarm: whether the whole file is in memory.
  package init(_ kernel: LinuxKernel, pageSize: PageSize, fileBytes: UInt64, isWarm: Bool) {
    aroundPages = max(1, kernel.faultAroundBytes / pageSize.bytes)
    readAheadPages = min(kernel.readAheadBytes / pageSize.bytes, 1 << 30)
    readAhead = kernel.readAhead
    unitPages = max(1, kernel.executableUnitBytes / pageSize.bytes)
    largestOrder = Self.order(of: max(1, kernel.largestFolioBytes / pageSize.bytes))
    tableEntries = pageSize.bytes / 8
    fileEnd = FilePage(
      rawValue: fileBytes / pageSize.bytes + (fileBytes % pageSize.bytes == 0 ? 0 : 1))
    isAllInMemory = isWarm
  }

  /// Reads the first bytes of a file, as the kernel does before it executes the file. `get_init_ra_size` in
  /// mm/readahead.c determines how many pages this read brings in. A warm launch reads nothing.
  package mutating func readHeader() {
    guard readAheadPages > 0 else {
      return pagesInMemory.formUnion(FilePage.first..<min(FilePage.first + 1, fileEnd))
    }
    let size = readAheadPages >= 32 ? 4 : readAheadPages >= 4 ? 2 : readAheadPages
    read((.first, size, size > 1 ? size - 1 : 0))
  }

  /// Faults on `page` if this is the first touch of it. A page outside of `mapping` is ignored.
  ///
  /// - Returns: the fault, if there was one.
  /// - Complexity: O(*w*) on average for windows of *w* pages.
  @discardableResult
  package mutating func touch(_ page: LoadedPage, in mapping: LinuxMapping) -> Fault? {
    guard mapping.pages.contains(page), !mapped.contains(page) else { return nil }
    let filePage = mapping.filePage(at: page)
    guard filePage < fileEnd else { return nil }  // SIGBUS
    mapAround(page, in: mapping)
    if mapped.contains(page) {
      minorFaults += 1
      return .minor
    }
    if isInMemory(filePage) {
      misses = max(0, misses - 1)
      readOn(from: filePage)
      mapped.insert(page)
      minorFaults += 1
      return .minor
    }
    readOnDemand(filePage, in: mapping)
    // The access is repeated, and finds the pages that were read.
    mapAround(page, in: mapping)
    mapped.insert(page)
    majorFaults += 1
    return .major
  }

  private func isInMemory(_ filePage: FilePage) -> Bool {
    isAllInMemory || pagesInMemory.contains(filePage)
  }
}

// MARK: Fault-around

extension LinuxFaultModel {
  /// Maps the pages in the window around `page` that are in memory.
  private mutating func mapAround(_ page: LoadedPage, in mapping: LinuxMapping) {
    guard aroundPages > 1 else { return }
    let first = max(page.roundedDown(to: aroundPages), mapping.pages.lowerBound)
    let tableEnd = page.roundedDown(to: tableEntries) + tableEntries
    let endOfFile = mapping.pages.lowerBound + (fileEnd - min(fileEnd, mapping.firstFilePage))
    let end = min(first + aroundPages, tableEnd, mapping.pages.upperBound, endOfFile)
    for neighbour in first..<max(first, end) {
      let filePage = mapping.filePage(at: neighbour)
      guard isInMemory(filePage), marked[filePage] == nil else { continue }
      misses = max(0, misses - 1)
      mapped.insert(neighbour)
    }
  }
}

// MARK: Read-ahead

extension LinuxFaultModel {
  private mutating func readOnDemand(_ filePage: FilePage, in mapping: LinuxMapping) {
    guard readAheadPages > 0 else { return read(single: filePage) }
    misses = min(misses + 1, Self.missLimit)
    guard misses <= Self.mostMisses else { return read(single: filePage) }
    order = 0
    switch readAhead {
    case .forward:
      let start = max(filePage.roundedDown(to: unitPages), mapping.firstFilePage)
      let unitEnd = (start + (readAheadPages + unitPages - 1)).roundedDown(to: unitPages)
      read((start, min(unitEnd, mapping.filePages.upperBound) - start, 0))
    case .around:
      let start = filePage - min(filePage - FilePage.first, readAheadPages / 2)
      read((start, readAheadPages, readAheadPages / 4))
    }
  }

  /// Reads the next window if `filePage` is marked.
  private mutating func readOn(from filePage: FilePage) {
    guard readAheadPages > 0, let found = marked[filePage] else { return }
    for page in found { marked[page] = nil }
    let expected = window.start + (window.size - window.ahead)
    var next = window
    // The kernel rounds down to the beginning of the folio: the mark is on its first page.
    if filePage == found.lowerBound, expected == filePage {
      next.start = next.start + next.size
      next.size = max(next.size, following(next.size))
    } else {
      let last = filePage + readAheadPages
      guard let miss = (filePage + 1..<last + 1).first(where: { !isInMemory($0) }) else { return }
      next.start = miss
      next.size = following(miss - filePage + readAheadPages)
    }
    order += 2
    let alignment = UInt64(1) << min(UInt64(order), UInt64(readAheadPages.trailingZeroBitCount))
    let end = (next.start + next.size).roundedDown(to: alignment)
    if end > next.start { next.size = end - next.start }
    next.ahead = next.size
    read(next)
  }

  /// Returns the size of the window after a window of `size` pages: `get_next_ra_size`.
  private func following(_ size: UInt64) -> UInt64 {
    if size < readAheadPages / 16 { return 4 * size }
    return size <= readAheadPages / 2 ? 2 * size : readAheadPages
  }

  private mutating func read(single filePage: FilePage) { pagesInMemory.insert(filePage) }

  /// Reads the pages of a window that are not in memory. The first page of the part ahead is marked if it is read.
  private mutating func read(_ next: Window) {
    window = next
    let end = min(next.start + next.size, fileEnd)
    guard next.start < end else { return }
    let mark = next.start + (next.size - next.ahead)
    for page in next.start..<end where pagesInMemory.insert(page).inserted {
      guard page == mark, next.ahead > 0 else { continue }
      let folio = folio(at: page, size: next.size, end: end)
      for page in folio { marked[page] = folio }
    }
  }

  /// Returns the folio that begins with `page`: the pages that the kernel keeps as one.
  private func folio(at page: FilePage, size: UInt64, end: FilePage) -> Range<FilePage> {
    var order = min(
      self.order, largestOrder, Self.order(of: size), page.rawValue.trailingZeroBitCount)
    while order > 0, page + (1 << UInt64(order)) > end { order -= 1 }
    return page..<page + (1 << UInt64(order))
  }

  static func order(of pages: UInt64) -> Int {
    pages == 0 ? 0 : UInt64.bitWidth - 1 - pages.leadingZeroBitCount
  }
}
