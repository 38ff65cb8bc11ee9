import Addresses
import CPtrace

/// An image in the memory of a process, and for each of its pages the access that the program gave it and the
/// kinds of access seen so far. The present access follows from these.
package struct WatchedImage {
  package let path: String
  /// The device and inode of the image's file, as in mappings; `nil` if they are unknown.
  package let file: String?
  /// Whether the image is the file at its path, as of the time when the image was found.
  package let isAtItsPath: Bool
  /// The addresses from the image's first byte to its last.
  package let addresses: Range<LoadedAddress>
  /// Whether an instruction of the image has run. From then on all access is withheld, not only execution.
  package private(set) var hasBegun = false
  /// Whether all access is withheld before the first instruction, too.
  private let isWatchedLoading: Bool
  /// The pages of `addresses`; empty if the image is known but not watched.
  private var pages: [Page]

  private struct Page {
    var isWatched = false
    var byRight: Protection = []
    var seen: Protection = []
  }

  /// The permitted kinds of access to a page, as the flags of mmap(2).
  package struct Protection: OptionSet, Hashable {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let read = Self(rawValue: UInt32(CTRACE_READ))
    package static let write = Self(rawValue: UInt32(CTRACE_WRITE))
    package static let execute = Self(rawValue: UInt32(CTRACE_EXECUTE))
  }

  /// A change of the protection of a range of memory.
  package struct Change {
    package var addresses: Range<LoadedAddress>
    package var protection: Protection
  }

  /// - Parameters:
  ///   - addresses: the addresses of whole pages.
  ///   - isWatchedLoading: whether reads and writes are withheld before the image's first instruction, too.
  package init(
    path: String, addresses: Range<LoadedAddress>, isWatched: Bool, isWatchedLoading: Bool = false,
    isAtItsPath: Bool = true, file: String? = nil
  ) {
    self.path = path
    self.file = file
    self.isAtItsPath = isAtItsPath
    self.isWatchedLoading = isWatchedLoading
    self.addresses = addresses
    let count = isWatched ? addresses.size / MemoryPage.size : 0
    pages = [Page](repeating: Page(), count: Int(count))
  }

  package var isWatched: Bool { !pages.isEmpty }

  /// Whether the loader's accesses are being withheld.
  package var isLoading: Bool { isWatchedLoading && !hasBegun }

  /// Whether reads and writes are withheld, not only execution.
  package var withholdsData: Bool { isWatchedLoading || hasBegun }

  private func index(of address: LoadedAddress) -> Int {
    Int((address - addresses.lowerBound) / MemoryPage.size)
  }

  private func pagesOverlapping(_ range: Range<LoadedAddress>) -> Range<Int> {
    let common = range.clamped(to: addresses)
    guard isWatched, !common.isEmpty else { return 0..<0 }
    let last = LoadedAddress(rawValue: common.upperBound.rawValue - 1)
    return index(of: common.lowerBound)..<index(of: last) + 1
  }

  private func allowed(_ page: Page) -> Protection {
    var given: Protection = withholdsData ? [] : [.read, .write]
    // A page that can be written or executed can also be read.
    if !page.seen.isEmpty { given.formUnion([.read, page.seen]) }
    return given.intersection(page.byRight)
  }

  /// Watches the pages of `mapping`, which belongs to this image, that are not watched yet.
  ///
  /// - Returns: whether there were such pages.
  @discardableResult
  package mutating func watch(_ mapping: ProcessMapping) -> Bool {
    let new = pagesOverlapping(mapping.addresses).filter { !pages[$0].isWatched }
    for index in new { pages[index] = Page(isWatched: true, byRight: mapping.protection) }
    return !new.isEmpty
  }

  /// Notes that the image's first instruction runs. Earlier reads and writes no longer count.
  package mutating func begin() {
    hasBegun = true
    for index in pages.indices { pages[index].seen.formIntersection(.execute) }
  }

  /// Returns the access that the watched pages in `range` must get.
  package func changes(in range: Range<LoadedAddress>) -> [Change] {
    var changes: [Change] = []
    for index in pagesOverlapping(range) where pages[index].isWatched {
      let start = addresses.lowerBound + UInt64(index) * MemoryPage.size
      let end = start + MemoryPage.size
      let protection = allowed(pages[index])
      if let last = changes.indices.last, changes[last].addresses.upperBound == start,
        changes[last].protection == protection
      {
        changes[last].addresses = changes[last].addresses.lowerBound..<end
      } else {
        changes.append(Change(addresses: start..<end, protection: protection))
      }
    }
    return changes
  }

  /// Returns the access that the program gave the watched page that holds `address`, and the access that was seen;
  /// `nil` if no watched page holds `address`.
  package func state(of address: LoadedAddress) -> (byRight: Protection, seen: Protection)? {
    guard isWatched, addresses.contains(address) else { return nil }
    let page = pages[index(of: address)]
    return page.isWatched ? (page.byRight, page.seen) : nil
  }

  package mutating func saw(_ access: Protection, at address: LoadedAddress) {
    guard isWatched, addresses.contains(address) else { return }
    pages[index(of: address)].seen.formUnion(access)
  }

  /// Notes that the program has changed the protection of the pages in `range`.
  package mutating func protected(_ range: Range<LoadedAddress>, _ protection: Protection) {
    for index in pagesOverlapping(range) where pages[index].isWatched {
      pages[index].byRight = protection
    }
  }

  /// Notes that the program has unmapped `range`, or mapped something else there.
  package mutating func unmapped(_ range: Range<LoadedAddress>) {
    for index in pagesOverlapping(range) { pages[index] = Page() }
  }

  /// Restores the program's own protection of the pages in `range` permanently.
  ///
  /// - Returns: whether the protection of a page may change.
  package mutating func release(_ range: Range<LoadedAddress>) -> Bool {
    let all: Protection = [.read, .write, .execute]
    let new = pagesOverlapping(range).filter { pages[$0].isWatched && pages[$0].seen != all }
    for index in new { pages[index].seen = all }
    return !new.isEmpty
  }

  /// Withholds only execution from now on.
  package mutating func releaseData() {
    for index in pages.indices { pages[index].seen.formUnion([.read, .write]) }
  }

  /// Restores the program's own protection of all pages permanently.
  package mutating func release() {
    hasBegun = true
    for index in pages.indices { pages[index].seen = [.read, .write, .execute] }
  }
}

extension ProcessMapping {
  fileprivate var protection: WatchedImage.Protection {
    var protection: WatchedImage.Protection = []
    if isReadable { protection.insert(.read) }
    if isWritable { protection.insert(.write) }
    if isExecutable { protection.insert(.execute) }
    return protection
  }
}
