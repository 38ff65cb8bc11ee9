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
    let sum = launches.map(\.weight).saturatingSum()
    for launch in launches { try resolved.add(launch, of: sum) }
    summary.launches = Int(clamping: sum)
    summary.missing = resolved.missing
    summary.unnamed = resolved.unnamedElsewhere
    warnings = resolved.warnings
    let layout = data.layout
    let shared = release.sharedData
    let kept = previous.map {
      $0.parts(in: layout, architecture: architecture).joined().map(layout.canonical)
    }
    var parts: [Part] = []
    for section in layout.sections.indices {
      func isOrdered(_ use: FirstUse) -> Bool {
        let symbol = layout.functions[use.part.function]
        return Int(symbol.section) == section && !shared.contains(symbol.address)
      }
      let touched = resolved.launches.map { $0.filter(isOrdered) }
      var ordered = Self.order(
        touched, others: resolved.others.filter(isOrdered), by: strategy, in: layout)
      if let kept {
        let isTouched = Set(ordered)
        ordered =
          KeptOrder(
            ordered, previous: kept.filter(isTouched.contains), launches: touched, layout: layout
          ).parts
      }
      let loaded = data.relocatedParts(in: section, besides: ordered).filter {
        !shared.contains(layout.functions[$0.function].address)
      }
      let unnamed = resolved.unnamed[section, default: []]
      let isOrdered =
        (dialect.ordersZeroFilledData || data.kinds[section] != .zeroFilled)
        && data.isWorthOrdering(section, ordered, unnamed: unnamed, loaded: loaded)
      if isOrdered { parts += ordered + loaded }
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
      NameWithReason(name: $0, reason: "unable to write: a label, or made by the linker")
    }
    if dialect.ordersStrings, let bytes = release.bytes {
      strings = resolved.strings.map { bytes.copy(data.strings[$0].contents).stringHash }
    }
    summary.unorderedStrings = resolved.strings.count - strings.count
    summary.strings = strings.count
  }

  /// Returns the data that `launches` touched, placed by `strategy`, and after them the data of `others` that no launch
  /// touched.
  private static func order(
    _ launches: [[FirstUse]], others: [FirstUse], by strategy: OrderStrategy, in layout: Layout
  ) -> [Part] {
    var order = MergedLaunches()
    switch strategy {
    case .balanced:
      order.append(BalancedOrder(launches, layout: layout).parts.inSteps, in: layout)
    case .firstHit: for launch in launches { order.append(launch, in: layout) }
    }
    order.append(others, in: layout)
    return order.parts
  }
}

/// The data that launches touched, as data of the build to order.
private struct ResolvedData {
  let data: DataLayout
  let release: ReleaseLayout
  /// The launches, each repeated as often as its weight says. If there are more than 200 launches, the repetitions are
  /// reduced in proportion, to one or two hundred in all.
  private(set) var launches: [[FirstUse]] = []
  /// The data that no whole launch touched.
  private(set) var others: [FirstUse] = []
  /// By section of the data: the touched addresses of data without a name.
  private(set) var unnamed: [Int: [StatedAddress]] = [:]
  /// The number of touches in other builds of data without a name.
  private(set) var unnamedElsewhere = 0
  private(set) var warnings: [Diagnostic] = []
  /// Indexes of strings, in the order of first touches.
  private(set) var strings: [Int] = []
  private(set) var missing: [NameWithReason] = []
  private var isKnownString: Set<Int> = []
  private var isMissing: Set<SymbolName> = []
  private var isMissingString: Set<UInt32> = []
  private var stringsByHash: [UInt32: Int]?
  private var names: SymbolMap?
  private var functions: SymbolMap?

  init(data: DataLayout, release: ReleaseLayout) {
    self.data = data
    self.release = release
  }

  /// - Parameter sum: the number of launches in all.
  mutating func add(_ launch: LaunchData, of sum: UInt64) throws(Diagnostic) {
    let isSameBuild = launch.imageID != nil && launch.imageID == release.reference.id
    var uses: [FirstUse] = []
    var lost = 0
    for (step, touch) in launch.touches.enumerated() {
      let found =
        isSameBuild ? symbols(in: touch.touch.bytes) : touch.names.flatMap { symbols(named: $0) }
      if !isSameBuild, touch.names.isEmpty, touch.strings.isEmpty { unnamedElsewhere += 1 }
      if !isSameBuild { for hash in touch.strings { addString(hash) } }
      if !isSameBuild, found.isEmpty, touch.strings.isEmpty,
        let name = touch.names.first(where: { !isFunction($0) })
      {
        lost += 1
        if isMissing.insert(name).inserted {
          missing.append(
            NameWithReason(name: name, reason: MissingReason.noSuchSymbol.description))
        }
      }
      uses += found.map { FirstUse(step: UInt64(step), function: $0) }
    }
    let known = Set(uses.map(\.step)).count
    // Images are matched by their file names, so a quarter of the names is enough to identify the program.
    let found = FoundFunctions(found: known, all: known + lost)
    let isProved = isSameBuild || found.proveProgram || launch.source == .otherLaunches
    guard isProved || found.supportTraits else {
      throw Diagnostic(
        "only \(known) of \(counted(known + lost, "datum", "data")) that the launch touched are in "
          + "'\(fileName(ofPath: release.path))': it is another program, or stripped",
        context: [launch.path], severity: .mismatch)
    }
    if !isProved {
      warnings.append(
        Diagnostic(
          "only \(known) of \(counted(found.all, "datum", "data")) "
            + "(\(Percentage.share(known, of: found.all))) that the launch touched are in "
            + "'\(fileName(ofPath: release.path))' by their names", context: [launch.path],
          hint: "if data were renamed, record a launch of this build"))
    }
    guard launch.source != .otherLaunches else {
      others += uses
      return
    }
    let copies = sum <= 200 ? launch.weight : max(1, launch.weight / (sum / 100))
    for _ in 0..<copies { launches.append(uses) }
  }

  private mutating func symbols(in bytes: AddressRange) -> [Int] {
    data.places(in: bytes).flatMap { place in
      switch place {
      case .symbol(let found): return Array(found)
      case .string(let index):
        addString(at: index)
        return []
      case .unnamed:
        if let section = data.layout.section(containing: bytes.start) {
          unnamed[section, default: []].append(bytes.start)
        }
        return []
      }
    }
  }

  private mutating func addString(at index: Int) {
    if isKnownString.insert(index).inserted { strings.append(index) }
  }

  /// Adds a string that another build has.
  private mutating func addString(_ hash: UInt32) {
    let known = stringsByHash ?? hashedStrings
    stringsByHash = known
    if let index = known[hash] {
      addString(at: index)
    } else if isMissingString.insert(hash).inserted {
      missing.append(NameWithReason(name: SymbolName("CSTR;\(hash)"), reason: "no such string"))
    }
  }

  private var hashedStrings: [UInt32: Int] {
    guard let bytes = release.bytes else { return [:] }
    return Dictionary(
      data.strings.indices.map { (bytes.copy(data.strings[$0].contents).stringHash, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private mutating func symbols(named name: SymbolName) -> [Int] {
    var map = names ?? SymbolMap(data.layout)
    defer { names = map }
    return map.resolve(name).functions
  }

  private mutating func isFunction(_ name: SymbolName) -> Bool {
    var map = functions ?? SymbolMap(release.layout)
    defer { functions = map }
    return !map.resolve(name).functions.isEmpty
  }

  /// The number of variables that were touched in `section` and whose addresses match.
  func count(in section: Int, where matches: (StatedAddress) -> Bool) -> Int {
    Set(
      (launches.joined() + others).map { data.layout.functions[$0.part.function] }
        .filter { Int($0.section) == section }.map(\.address)
    ).count(where: matches)
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
    // Launches touch only a few pages of a large table, so each datum counts with its first page.
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

  /// The pages of `section` to which the loader writes.
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
