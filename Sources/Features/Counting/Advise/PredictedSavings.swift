// What the tables of an image tell about options, without a link
//
// The loader reads each table of relocations from its first byte to its last. So the pages that packed relocations save
// follow from the sizes: each R_*_RELATIVE of an even address leaves the table, and what encodes them instead is known
// byte by byte. Sections behind the table move up, which can make a difference of a page that is not foreseen.
//
// At a fixed address nothing is relocated but the addresses of symbols. So a page that the loader alone touches, all of
// whose words are relative, is not touched any more, nor is the table of these.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import PagesFormat
import Symbolication

/// The relocated words of an image.
struct PredictedSavings {
  /// Where relocations with `R_*_RELATIVE` are listed; `nil` without such a table.
  private var table: AddressRange?
  private let entrySize: UInt64
  /// Ascending.
  private var relative: [StatedAddress] = []
  /// All others.
  private var others: [StatedAddress] = []
  private let wordSize: UInt64

  /// - Throws: the error in a table.
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

  /// The pages of 4 KiB that `-z pack-relative-relocs` saves; `nil` if it changes nothing.
  var byPacking: Int? {
    let packed = relative.filter { $0.rawValue.isMultiple(of: 2) }
    guard let table, !packed.isEmpty else { return nil }
    let gone = UInt64(packed.count).multipliedReportingOverflow(by: entrySize)
    guard !gone.overflow, gone.partialValue <= table.size else { return nil }
    let left = table.size - gone.partialValue + bitmapBytes(packed)
    return Self.pages(of: table)
      - Self.pages(of: AddressRange(start: table.start, size: left))
  }

  /// The pages of 4 KiB that `-no-pie` saves in this launch; `nil` if it changes nothing, or if the launch does not tell.
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

  /// The size of `words`, which ascend, in SHT_RELR: an address, and a bitmap for each run of as many words as it has
  /// bits but one.
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
