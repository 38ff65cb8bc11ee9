import Addresses
import ByteReading
import Demangling
import ImageModel
import ObjectFormat

/// Finds what functions touch in addition to functions that a trace names.
struct ReferenceFinder {
  private let layout: Layout
  private let bytes: FileBytes
  private let code: [ELFSection]
  private let scan: CodeScan
  private let bindsLazily: Bool
  private let linkageTables: [Section]
  private var pending: [AddressRange] = []
  private var known: Set<StatedAddress> = []
  /// A budget for the bytes of all bodies, because overlapping functions would each be searched.
  private var budget: ByteBudget

  init(
    _ layout: Layout, _ bytes: FileBytes, _ code: [ELFSection], _ scan: CodeScan, bindsLazily: Bool
  ) {
    self.layout = layout
    self.bytes = bytes
    budget = ByteBudget(limit: 4 * UInt64(bytes.count))
    self.code = code.filter { $0.range.size > 0 }.sorted { $0.range.start < $1.range.start }
    self.scan = scan
    self.bindsLazily = bindsLazily
    linkageTables = layout.sections.filter { $0.isLinkageTable && $0.range.size > 0 }
  }

  /// Adds bodies to search; each is searched once.
  mutating func add(_ bodies: [AddressRange]) {
    for body in bodies where known.insert(body.start).inserted { pending.append(body) }
  }

  /// The references in the added bodies, and in the merged bodies to which these lead; ascending by site.
  mutating func references() -> [LaunchFacts.Reference] {
    var found: Set<LaunchFacts.Reference> = []
    while let body = pending.popLast() {
      guard let place = place(of: body), budget.take(place.count) else { continue }
      for reference in references(in: body, place) {
        found.insert(reference)
        if reference.touch.cause == .mergedBody { add([reference.touch.bytes]) }
      }
    }
    return found.sorted {
      ($0.site, $0.touch.bytes.start, $0.touch.cause.rawValue)
        < ($1.site, $1.touch.bytes.start, $1.touch.cause.rawValue)
    }
  }

  private func section(of address: StatedAddress) -> ELFSection? {
    let next = code.partitioningIndex { $0.range.start > address }
    return next > 0 && code[next - 1].range.contains(address) ? code[next - 1] : nil
  }

  private func linkageTable(of address: StatedAddress) -> Section? {
    let next = linkageTables.partitioningIndex { $0.range.start > address }
    return next > 0 && linkageTables[next - 1].range.contains(address)
      ? linkageTables[next - 1] : nil
  }

  /// The range of a body in the file, limited to its section.
  private func place(of body: AddressRange) -> Range<Int>? {
    guard let section = section(of: body.start),
      let range = try? bytes.range(offset: section.offset, size: section.size, "sh_size")
    else { return nil }
    let start = range.indices.lowerBound + Int(body.start.rawValue - section.range.start.rawValue)
    let size = min(UInt64(range.indices.upperBound - start), body.size)
    return start..<start + Int(size)
  }

  private func references(
    in body: AddressRange, _ place: Range<Int>
  ) -> [LaunchFacts.Reference] {
    var found: [LaunchFacts.Reference] = []
    func add(_ reference: DistantReference, _ touches: [LaunchFacts.Touch]) {
      found += touches.map { LaunchFacts.Reference(site: reference.site, touch: $0) }
    }
    scan.forEachReference(in: bytes, place, at: body.start) { reference in
      switch reference.kind {
      case .branch:
        if let table = linkageTable(of: reference.target) {
          add(reference, entryTouches(reference.target, in: table))
        } else if let merged = mergedBody(at: reference.target) {
          add(reference, [LaunchFacts.Touch(.mergedBody, merged)])
        }
      case .load, .address:
        if let constant = constant(reference) {
          add(reference, [LaunchFacts.Touch(.constant, constant)])
        }
      }
    }
    return found
  }

  /// Returns the touches of a call through `table`: of the entry at `target`, and of the code to which the entry jumps on the
  /// first call.
  private func entryTouches(
    _ target: StatedAddress, in table: Section
  ) -> [LaunchFacts.Touch] {
    let distance = target.rawValue - table.range.start.rawValue
    // On x86-64 entries have 8 or 16 bytes; on AArch64 they consist of 4-byte words.
    guard distance % (scan == .x8664 ? 8 : 4) == 0 else { return [] }
    let size: UInt64 = table.name == ".plt.got" && scan == .x8664 ? 8 : 16
    var touches = [AddressRange(start: target, size: min(size, table.range.size - distance))]
    if bindsLazily, table.name == ".plt" || table.name == ".plt.sec",
      let first = linkageTables.first(where: { $0.name == ".plt" })
    {
      touches.append(AddressRange(start: first.range.start, size: min(16, first.range.size)))
      if table.name == ".plt.sec", distance + 32 <= first.range.size,
        let entry = first.range.start.advanced(by: distance + 16)
      {
        touches.append(AddressRange(start: entry, size: 16))
      }
    }
    return touches.map { LaunchFacts.Touch(.linkageTable, $0) }
  }

  private func mergedBody(at target: StatedAddress) -> AddressRange? {
    let aliases = layout.functions(at: target)
    let isMerged = aliases.prefix(Self.mostAliases).contains { index in
      let name = layout.functions[index].name
      let start = Int(name.offset)
      let range = start..<start + Int(name.count)
      return NameEnding(of: layout.names.bytes, in: range).part == .mergedBody
    }
    return isMerged ? function(at: target) : nil
  }

  /// The maximum number of names of a body that are examined for each branch to it.
  private static let mostAliases = 64

  private func function(at address: StatedAddress) -> AddressRange? {
    layout.functions(at: address).last.map { layout.functions[$0].knownBody }
  }

  /// The constant in a section of code that `reference` reads, if it is outside of all functions.
  private func constant(_ reference: DistantReference) -> AddressRange? {
    guard section(of: reference.target) != nil, linkageTable(of: reference.target) == nil else {
      return nil
    }
    // A function of unknown size seems to extend to the next function, so a target inside it may be a constant.
    if let last = layout.functions(containing: reference.target).last {
      let function = layout.functions[last]
      guard function.size == nil, function.address != reference.target else { return nil }
    }
    return AddressRange(start: reference.target, size: 1)
  }
}
