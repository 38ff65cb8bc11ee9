// The xnu read model
//
// A page fault on iOS or macOS does not read one page: the kernel reads a *cluster* around it, whose size
// depends on the faults before. So a launch waits for fewer reads than it touches pages, and a packed layout
// has two advantages: fewer pages, and more of them with each read. This model simulates the kernel over the
// first touches of a launch, in time order, and counts
//
//     the reads that the kernel issues, and the bytes that they bring in.
//
// The rules, as read in xnu-11417.101.15 (osfmk/vm: `vm_object_cluster_size` in vm_object.c,
// `vm_fault_is_sequential` in vm_fault.c, `pages_created` in vm_resident.c, `pages_used` in
// vm_page_internal.h). The kernel keeps one such state for each file:
//
// 1. A touch of a page that an earlier cluster brought in reads nothing.
// 2. The *run* is the number of steps by which the touches so far, read or not, went from neighbor to
//    neighbor in one direction. From three steps on the next fault, wherever it is, is *streaming*: it reads
//    a cluster of the run and one more page, all of it in the direction of the run.
// 3. Otherwise the cluster is around the page: half of it before, rounded down to pages, the rest after. It
//    has the smallest size while the kernel has read fewer pages than 20 such clusters, and then the largest
//    size times (pages touched / pages read), rounded up to pages and never below the smallest. If neighbors
//    turn out to be needed, reads grow.
// 4. No cluster is larger than the largest size, extends across a page that is in memory, or leaves the
//    mapping of its segment. The part that would be before the start of the file is added at the end.
//
// Two worked examples on iOS, with clusters of 2 to 32 pages; numbers in brackets are read:
//
//     touch      9      2      8      30                                    scattered: pairs
//                [8 9]  [1 2]  -      [29 30]                               3 reads, 6 pages
//
//     touch      5      6      7      8      9          10-12   13          ascending: a stream
//                [4 5]  [6]    [7]    [8]    [9 ... 12]  -      [13 ... 20]  6 reads, 17 pages
//     run after  0      1      2      3      4           7      8
//
// Bound: at most one read for each touched page, and at least pages / largest cluster.
//
// What it leaves out:
// - Code signing: each page is hashed when it is first mapped, however it was read. And decryption.
// - What is in memory before: the kernel reads the header when it maps the image, other processes may have
//   used a framework, the second launch finds what the first one left.
// - The system's own prefetching: launch playbooks, and the file system's read-ahead.
// - The rest of the file: data, fix-ups and `__LINKEDIT` are read by dyld through the same state, before and between
//   the touches counted here. Other images and dyld's shared cache have their own state.
// - Several threads: their touches reach the kernel in one order, but not always in the order of the trace.
// - Scarce memory and throttled processes, which get smaller clusters; spinning disks, which get larger ones;
//   file systems that split a cluster if the file is not contiguous or is compressed.
// - The place of a slice in a fat file: page 0 here is the first page of the slice.
//
// The limit: the rules are read from the source code of one release, and no device has confirmed a single
// number. Label each of them *predicted*.

import Addresses
import ImageModel

/// The cluster sizes of a kernel.
package struct XNUKernel: Hashable, Sendable {
  /// The name of the system for people: `iOS`, `macOS`.
  package let name: String
  /// `kern.preheat_min_bytes`, halved on macOS for a solid-state disk.
  package let smallestClusterBytes: UInt64
  /// `kern.preheat_max_bytes`, an eighth of it on macOS for a solid-state disk.
  package let largestClusterBytes: UInt64

  /// The kernel of iOS, and of the other Apple systems that are not macOS.
  package static let iOS = XNUKernel(
    name: "iOS", smallestClusterBytes: 32 << 10, largestClusterBytes: 512 << 10)
  /// The kernel of macOS that reads from a solid-state disk.
  package static let macOS = XNUKernel(
    name: "macOS", smallestClusterBytes: 16 << 10, largestClusterBytes: 128 << 10)

  /// Returns the kernels with pages of this size: 16 KiB on arm64, 4 KiB on Intel Macs.
  package static func kernels(pageSize: PageSize) -> [XNUKernel] {
    switch pageSize {
    case .sixteenKibibytes: [.iOS, .macOS]
    case .fourKibibytes: [.macOS]
    default: []
    }
  }
}

/// The kernel's reads during a launch so far.
package struct XNUReadModel: Sendable {
  private let pageBytes: UInt64
  private let smallestClusterBytes: UInt64
  private let largestClusterBytes: UInt64

  package private(set) var reads = 0
  private var pagesRead: UInt64 = 0
  private var pagesTouched: UInt64 = 0
  private var inMemory: Set<FilePage> = []
  private var mapped: Set<FilePage> = []
  /// The page of the last fault. Like the kernel, the model starts at page 0.
  private var lastPage = FilePage.first
  /// The length of the current run, in steps; negative for a descending run.
  private var run = 0

  package var bytesRead: UInt64 { pagesRead * pageBytes }

  package init(_ kernel: XNUKernel, pageSize: PageSize) {
    pageBytes = pageSize.bytes
    smallestClusterBytes = max(kernel.smallestClusterBytes, pageSize.bytes)
    largestClusterBytes = max(kernel.largestClusterBytes, pageSize.bytes)
  }

  /// Faults on `page` if this is the first touch of it.
  ///
  /// - Parameter mapping: the pages of the segment that `page` lies in.
  /// - Complexity: O(*c*) on average for a cluster of *c* pages.
  package mutating func touch(_ page: FilePage, in mapping: ClosedRange<FilePage>) {
    guard mapped.insert(page).inserted else { return }
    if !inMemory.contains(page) { readCluster(around: page, in: mapping) }
    pagesTouched += 1
    follow(page)
  }

  /// Follows rule 2. A direction is known from the second touch on.
  private mutating func follow(_ page: FilePage) {
    if page == lastPage { return }
    if page == lastPage + 1 {
      run = max(run, 0) + 1
    } else if page + 1 == lastPage {
      run = min(run, 0) - 1
    } else {
      run = 0
    }
    lastPage = page
  }

  private mutating func readCluster(around page: FilePage, in mapping: ClosedRange<FilePage>) {
    let (head, tail) = clusterPages(before: page)
    var first = page
    while page - first < head, first > mapping.lowerBound, !inMemory.contains(first - 1) {
      first = first - 1
    }
    var last = page
    while last - page < tail, last < mapping.upperBound, !inMemory.contains(last + 1) {
      last = last + 1
    }
    for page in first...last { inMemory.insert(page) }
    reads += 1
    pagesRead += last - first + 1
  }

  /// The number of pages that the kernel would like to read before `page`, and after it.
  private func clusterPages(before page: FilePage) -> (head: UInt64, tail: UInt64) {
    let pagesBefore = page - FilePage.first
    let largest = largestClusterBytes / pageBytes
    guard abs(run) < 3 else {
      let wanted = min(UInt64(abs(run)) + 1, largest)
      // Below a descending run the kernel never reads page 0: it takes the offset of the page for the
      // number of bytes that may be read, itself among them.
      return run > 0 ? (0, wanted - 1) : (max(min(wanted, pagesBefore), 1) - 1, 0)
    }
    let wanted = scatteredClusterBytes / pageBytes
    let head = min(wanted / 2, pagesBefore)
    return (head, wanted - head - 1)
  }

  /// The cluster size of rule 3, in bytes and not in pages: the kernel drops the fraction of a byte before it rounds up
  /// to pages.
  private var scatteredClusterBytes: UInt64 {
    guard pagesRead >= 20 * (smallestClusterBytes / pageBytes) else { return smallestClusterBytes }
    let bytes = largestClusterBytes * pagesTouched / pagesRead
    let rounded = (bytes + pageBytes - 1) / pageBytes * pageBytes
    return min(max(rounded, smallestClusterBytes), largestClusterBytes)
  }
}
