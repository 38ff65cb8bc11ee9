// What the tables of an image show about the effect of link options, without a link
//
// The loader reads each table of relocations from its first byte to its last. So the pages that packed relocations save
// follow from the sizes: each R_*_RELATIVE of an even address leaves the table, and the size of the bitmaps that
// replace them is known exactly. Sections after the table move to lower addresses, which can change the number of pages
// by one; this is not predicted.
//
// At a fixed address, only the addresses of symbols are relocated. So two kinds of pages are no longer touched: pages
// that only the loader touches and whose relocated words are all relative, and the pages of the table of relative
// relocations.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import PagesFormat

/// The words of an image that the loader relocates, and the pages that options would save.
struct PredictedSavings {
  /// The table of relocations with `R_*_RELATIVE`; `nil` if the image has no such table.
  private var table: AddressRange?
  private let entrySize: UInt64
  /// The words with a relative relocation, ascending.
  private var relative: [StatedAddress] = []
  /// The words with a relocation other than a relative one.
  private var others: [StatedAddress] = []
  private let wordSize: UInt64

  /// - Throws: the error in a table of relocations.
  init(of file: ELFFile) throws(ParseError) {
    wordSize = file.header.is64Bit ? 8 : 4
    let section = file.section(named: ".rela.dyn") ?? file.section(named: ".rel.dyn")
    table = section?.range
    entrySize = section?.entrySize ?? 0
    var relative: [StatedAddress] = []
    var others: [StatedAddress] = []
    try file.forEachRelocatedWord { kind, address in
      if kind == .relative { relative.append(address) } else { others.append(address) }
    }
    self.relative = relative.sorted()
    self.others = others
  }

  /// The number of 4 KiB pages that `-z pack-relative-relocs` saves; `nil` if the option changes nothing.
  var byPacking: Int? {
    let packed = relative.filter { $0.rawValue.isMultiple(of: 2) }
    guard let table, !packed.isEmpty else { return nil }
    let gone = UInt64(packed.count).multipliedReportingOverflow(by: entrySize)
    guard !gone.overflow, gone.partialValue <= table.size else { return nil }
    let left = table.size - gone.partialValue + bitmapBytes(packed)
    return Self.pages(of: table)
      - Self.pages(of: AddressRange(start: table.start, size: left))
  }

  /// Returns the number of 4 KiB pages that `-no-pie` saves in this launch; `nil` if the option changes nothing, or if
  /// the touches of the loader are not known.
  func atFixedAddress(_ image: PagesDocument.Image) -> Int? {
    guard image.loading != nil, !relative.isEmpty else { return nil }
    let size = PageSize.fourKibibytes
    let kept = Set(others.map { size.page(of: $0) })
    var owners: [StatedPage: Set<Accessor>] = [:]
    for touch in (image.loading ?? []) + image.pages {
      guard let accessor = touch.accessor else { continue }
      owners[size.page(of: touch.address), default: []].insert(accessor)
    }
    var data = 0
    var last: StatedPage?
    for word in relative {
      let page = size.page(of: word)
      guard page != last else { continue }
      last = page
      if owners[page] == [.relocation], !kept.contains(page) { data += 1 }
    }
    guard let table else { return data }
    let (gone, overflow) = UInt64(relative.count).multipliedReportingOverflow(by: entrySize)
    guard !overflow, gone <= table.size else { return data }
    return data + Self.pages(of: table)
      - Self.pages(of: AddressRange(start: table.start, size: table.size - gone))
  }

  /// Returns the size of SHT_RELR for `words`, which ascend. Each run of words takes an entry with an address, and
  /// further entries with bitmaps. A bitmap has a bit for each of the next words: one bit less than an entry has.
  private func bitmapBytes(_ words: [StatedAddress]) -> UInt64 {
    let span = (wordSize * 8 - 1) * wordSize
    var entries: UInt64 = 0
    var index = 0
    while index < words.count {
      entries += 1
      var next = words[index].rawValue &+ wordSize
      index += 1
      while index < words.count {
        let first = index
        while index < words.count, words[index].rawValue &- next < span,
          (words[index].rawValue &- next).isMultiple(of: wordSize)
        {
          index += 1
        }
        guard index > first else { break }
        entries += 1
        next = next &+ span
      }
    }
    return entries * wordSize
  }

  private static func pages(of range: AddressRange) -> Int {
    guard range.size > 0 else { return 0 }
    let pages = PageSize.fourKibibytes.pages(of: range)
    return Int(clamping: pages.upperBound - pages.lowerBound) + 1
  }
}
