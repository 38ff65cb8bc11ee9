// The order of data
//
// An order file lists the functions that launches used, and then the data that they touched. Linkers order each section
// separately, so each section is a separate problem: the touched data of `.rodata` should be together, and so should
// the touched data of `.data` and of `.bss`. Within a section, data are placed as functions are (`OrderStrategy`).
//
// If all data of a section contain addresses that the loader writes, the loader touches all pages of the section
// whatever the order. But a section may have data with and without such addresses. Then the data that the loader
// touches are placed next to the data that the program touches, so that nobody touches more of the other pages.
//
// Strings and constants without a name stay where they are, and launches keep touching their pages. If data with names
// are on these pages already, moving them away costs pages. So a section is left as it is unless fewer pages are
// predicted: the loader's pages, the pages of unnamed data, and the pages that the listed data fill.

import Addresses
import CommandSupport
import FunctionOrder
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Rendering
import Symbolication

/// The data that launches touched, as entries of an order file.
struct DataOrder {
  private(set) var entries: [OrderFileEntry] = []
  /// The strings to order, by their hashes.
  private(set) var strings: [UInt32] = []
  private(set) var summary = OrderedData()
  /// Warnings about launches if the build has fewer than half of the names of the data that they touched.
  let warnings: [Diagnostic]
  /// What the launches touched.
  let resolved: ResolvedData
  /// The listed data, and about where the linker places them: at the start of their section.
  private(set) var moves: [(body: AddressRange, start: StatedAddress)] = []

  /// - Parameters:
  ///   - launches: launches of the image whose data are `data`, or of other builds of the image.
  ///   - release: the build to order.
  ///   - previous: the symbols of the previous order, if there is one.
  /// - Throws: `mismatch` if the build has fewer than a quarter of the names that a launch of another build touched.
  init(
    _ launches: [LaunchData], data: DataLayout, of release: ReleaseLayout, strategy: OrderStrategy,
    previous: OrderFile?, for dialect: OrderFileDialect, architecture: Architecture?
  ) throws(Diagnostic) {
    var resolved = ResolvedData(data: data, release: release)
    for launch in launches { try resolved.add(launch) }
    summary.launches = Int(clamping: launches.map(\.weight).saturatingSum())
    summary.missing = resolved.missing
    summary.unnamed = resolved.unnamedElsewhere
    warnings = resolved.warnings
    self.resolved = resolved
    let layout = data.layout
    let shared = release.sharedData
    let kept = previous.map {
      UsedParts.Previous(
        $0.parts(in: layout, architecture: architecture).joined().map(layout.canonical))
    }
    var parts: [Part] = []
    for section in layout.sections.indices {
      func orderable(_ part: Part) -> Part? {
        let symbol = layout.functions[part.function]
        return Int(symbol.section) == section && !shared.contains(symbol.address) ? part : nil
      }
      let used = resolved.used.mapParts(orderable)
      let ordered =
        kept.map { used.ordered(by: strategy, keeping: $0, in: layout).parts }
        ?? used.ordered(by: strategy, in: layout)
      let loaded = data.relocatedParts(in: section, besides: ordered).filter {
        !shared.contains(layout.functions[$0.function].address)
      }
      let unnamed = resolved.unnamed[section, default: []]
      let isOrdered =
        (dialect.ordersZeroFilledData || data.kinds[section] != .zeroFilled)
        && data.isWorthOrdering(section, ordered, unnamed: unnamed, loaded: loaded)
      if isOrdered {
        parts += ordered + loaded
        moves += layout.packed(ordered + loaded, from: layout.sections[section].range.start)
      }
      summary.sections.append(
        data.summary(
          of: section, touched: ordered, unnamed: unnamed.count,
          sharing: resolved.count(in: section, where: shared.contains), loaded: loaded.count,
          isOrdered: isOrdered))
    }
    summary.sections.removeAll { $0.isEmpty }
    let placing = PlacingEntries(
      of: parts.flatMap(layout.allAliases), in: SymbolMap(layout), for: dialect,
      architecture: architecture)
    entries = placing.dataEntries
    summary.missing += placing.unnamable.map {
      NameWithReason(
        name: $0, reason: "unable to write: the name is a label, or the linker made it")
    }
    if dialect.ordersStrings, let bytes = release.bytes {
      strings = resolved.strings.map { bytes.copy(data.strings[$0].contents).stringHash }
    }
    summary.unorderedStrings = resolved.strings.count - strings.count
    summary.strings = strings.count
  }
}

extension DataLayout {
  /// Returns the data of `section` to which the loader writes and that are not `placed`, by address. Returns none if
  /// these data and the `placed` data together would not fill fewer pages than the loader writes to now.
  fileprivate func relocatedParts(in section: Int, besides placed: [Part]) -> [Part] {
    guard kinds[section] == .variables || kinds[section] == .relocatedConstants else { return [] }
    var seen = Set(placed)
    let relocated = layout.functions.indices.lazy.filter {
      Int(layout.functions[$0].section) == section
    }.map { layout.canonical(Part($0)) }.filter { part in
      seen.insert(part).inserted
        && isRelocated(layout.functions[layout.aliases(of: part.function).upperBound - 1].knownBody)
    }
    let parts = Array(relocated)
    let needed = layout.byteCount(of: placed + parts) / PageSize.fourKibibytes.bytes + 1
    return needed < UInt64(relocatedPages(of: section).count) ? parts : []
  }

  /// Whether launches are predicted to touch fewer pages of 4 KiB of `section` if `touched` and `loaded` are placed
  /// together, wherever in a page they begin. If the data are together already, because the build was linked with such
  /// an order, it is enough that launches do not touch more pages.
  ///
  /// - Parameter unnamed: the addresses of data that launches touched and that stay where they are.
  fileprivate func isWorthOrdering(
    _ section: Int, _ touched: [Part], unnamed: [StatedAddress], loaded: [Part]
  ) -> Bool {
    let size = PageSize.fourKibibytes
    func body(_ part: Part) -> AddressRange {
      layout.functions[layout.aliases(of: part.function).upperBound - 1].knownBody
    }
    let byLoader = relocatedPages(of: section)
    // Launches touch only a few pages of a large table, so each datum counts as if it were only on its first page.
    let named = Set(touched.map { size.page(of: body($0).start) })
    let staying = Set(unnamed.map(size.page(of:)))
    let before = byLoader.union(named).union(staying).count
    let placed = loaded.isEmpty ? touched.filter { !isRelocated(body($0)) } : touched + loaded
    let bytes = placed.map { min(body($0).size, size.bytes) }.saturatingSum()
    let filled = Int(clamping: bytes / size.bytes + (bytes % size.bytes == 0 ? 0 : 1))
    let others = (loaded.isEmpty ? byLoader.union(staying) : staying).count
    let areTogether = filled > 0 && named.count <= filled + 1
    return areTogether ? others + filled <= before : others + filled + 1 < before
  }

  /// The pages of the section at index `section` to which the loader writes.
  private func relocatedPages(of section: Int) -> Set<StatedPage> {
    let range = layout.sections[section].range
    let first = relocatedWords.partitioningIndex { $0 >= range.start }
    return Set(
      relocatedWords[first...].prefix { $0 < range.end }.map {
        PageSize.fourKibibytes.page(of: $0)
      })
  }

  fileprivate func summary(
    of section: Int, touched: [Part], unnamed: Int, sharing: Int, loaded: Int,
    isOrdered: Bool
  ) -> OrderedData.Section {
    let range = layout.sections[section].range
    let pages = range.size == 0 ? 0 : PageSize.fourKibibytes.pages(of: range).count
    return OrderedData.Section(
      name: layout.sections[section].name, kind: kinds[section].rawValue, symbols: touched.count,
      bytes: layout.byteCount(of: touched), unnamed: unnamed, sharingSection: sharing,
      relocatedSymbols: loaded, pages: pages, relocatedPages: relocatedPages(of: section).count,
      isOrdered: isOrdered)
  }
}

extension Layout {
  /// Returns the bodies of `parts`, and where each begins if they are placed one after the other. Images do not show how
  /// data are aligned; each is assumed to be aligned to 16 bytes.
  fileprivate func packed(
    _ parts: [Part], from start: StatedAddress
  ) -> [(body: AddressRange, start: StatedAddress)] {
    var next = start
    return parts.compactMap { part in
      let body = functions[aliases(of: part.function).upperBound - 1].knownBody
      guard let end = next.advanced(by: body.size), let aligned = end.advanced(by: 15) else {
        return nil
      }
      defer { next = aligned.roundedDown(to: 16) }
      return (body, next)
    }
  }
}
