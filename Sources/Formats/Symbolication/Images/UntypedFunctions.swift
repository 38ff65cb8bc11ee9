// Which symbols without a type are functions?
//
// NASM, Rust's `global_asm!` and assembly without `.type` give functions the type STT_NOTYPE.
// Labels inside a function, tables in a section of code and symbols of the linker have the same
// type. A breakpoint in a table would change what the program computes. So a symbol counts as a
// function only if one of these statements is true, which is never so for data:
//
// - The image begins at the symbol (`e_entry`), or the loader calls it: `.init_array`, DT_INIT,
//   DT_FINI.
// - A linkage table calls the symbol (`R_*_JUMP_SLOT`).
// - On AArch64, the last mapping symbol before the symbol is `$x`.
// - Code calls the symbol or jumps to it, and no instruction reads it or takes its address. Code is
//   everything that symbols with a type and unwind tables cover, and every function found in this
//   way. `CodeScan` may mistake bytes of a constant for a branch, but hardly for a branch to a
//   table that no instruction refers to.
//
// A local label counts only if code calls it: most local labels are inside a function that jumps to
// them.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The symbols without a type in the code of an ELF image.
struct UntypedFunctions {
  /// The addresses of the symbols that are functions, ascending.
  private(set) var functions: [StatedAddress] = []
  /// The number of symbols that may be functions or data. Local symbols, and those around OCaml's code, are not counted.
  private(set) var uncertainCount = 0
  /// The names of the first symbols that `uncertainCount` counts, by address.
  private(set) var uncertain: [SymbolName] = []

  /// The maximum number of names in `uncertain`.
  private static let mostNames = 3

  private struct Label {
    var address: StatedAddress
    var isLocal: Bool
    var table: Int
    var name: UInt32
  }

  /// - Parameter frames: the ranges that unwind tables cover, ascending by address.
  /// - Complexity: O(*s* log *s* + *b*) for *s* symbols, and *b* bytes of code if one of them has no type.
  init(_ file: ELFFile, _ tables: [ELFSymbolTable], frames: [AddressRange]) {
    var (labels, mappings) = Self.labels(of: file, tables)
    guard !labels.isEmpty else { return }
    let known = Self.knownCode(tables, frames)
    labels.removeAll { label in
      let next = known.partitioningIndex { $0.start > label.address }
      return next > 0
        && (known[next - 1].start == label.address || label.address < known[next - 1].end)
    }
    guard !labels.isEmpty else { return }
    let places = labels.map(\.address)
    func index(of address: StatedAddress) -> Int? {
      let index = places.partitioningIndex { $0 >= address }
      return index < places.count && places[index] == address ? index : nil
    }
    var isFunction = [Bool](repeating: false, count: labels.count)
    for address in Self.calledByTheLoader(in: file) {
      if let index = index(of: address) { isFunction[index] = true }
    }
    for index in labels.indices where !labels[index].isLocal {
      let next = mappings.partitioningIndex { $0.address > places[index] }
      if next > 0, mappings[next - 1].isCode { isFunction[index] = true }
    }
    Self.addBranchTargets(to: &isFunction, labels, known: known, in: file, index(of:))
    functions = labels.indices.filter { isFunction[$0] }.map { places[$0] }
    let others = labels.indices.filter { !isFunction[$0] && !labels[$0].isLocal }
      .compactMap { index in
        let table = tables[labels[index].table]
        return table.names.name(at: labels[index].name).map {
          SymbolName(bytes: table.names.bytes.copy($0.indices))
        }
      }
      .filter { !OCamlBounds.contain($0.bytes) }
    uncertainCount = others.count
    uncertain = Array(others.prefix(Self.mostNames))
  }

  /// The symbols without a type in sections of code, one for each address, and the mapping symbols; ascending.
  private static func labels(
    of file: ELFFile, _ tables: [ELFSymbolTable]
  ) -> (labels: [Label], mappings: [(address: StatedAddress, isCode: Bool)]) {
    var found: [Label] = []
    var mappings: [(address: StatedAddress, isCode: Bool)] = []
    let hasMappings = file.header.machine == .aarch64
    for (number, table) in tables.enumerated() {
      table.forEachSymbol { symbol in
        guard symbol.type == .none, symbol.nameOffset != 0, symbol.sectionIndex.isInSection,
          let name = table.names.name(at: symbol.nameOffset)?.indices, !name.isEmpty
        else { return }
        guard !isMappingSymbol(table.names.bytes, name) else {
          if hasMappings {
            let isCode = table.names.bytes[name.lowerBound + 1] == UInt8(ascii: "x")
            mappings.append((symbol.value, isCode))
          }
          return
        }
        let isLocal = symbol.binding == .local && !symbol.isHidden
        found.append(
          Label(address: symbol.value, isLocal: isLocal, table: number, name: symbol.nameOffset))
      }
    }
    // The first symbol at an address counts. Local symbols come after global symbols.
    found.sort { ($0.address, $0.isLocal ? 1 : 0) < ($1.address, $1.isLocal ? 1 : 0) }
    mappings.sort { ($0.address, $0.isCode ? 1 : 0) < ($1.address, $1.isCode ? 1 : 0) }
    var code = CodeRanges(file)
    var labels: [Label] = []
    for label in found
    where labels.last?.address != label.address && code.range(holding: label.address) != nil {
      labels.append(label)
    }
    return (labels, mappings)
  }

  /// Returns the ranges that functions with a type and unwind tables cover, ascending and disjoint.
  private static func knownCode(
    _ tables: [ELFSymbolTable], _ frames: [AddressRange]
  ) -> [AddressRange] {
    var ranges = frames
    for table in tables {
      table.forEachSymbol { symbol in
        guard symbol.type == .function || symbol.type == .indirectFunction,
          symbol.sectionIndex.isInSection
        else { return }
        ranges.append(AddressRange(start: symbol.value, size: symbol.size))
      }
    }
    ranges.sort { ($0.start, $0.size) < ($1.start, $1.size) }
    var apart: [AddressRange] = []
    for range in ranges {
      guard let last = apart.last, range.start < last.end || range.start == last.start else {
        apart.append(range)
        continue
      }
      let end = max(last.end, range.end)
      apart[apart.count - 1] = AddressRange(
        start: last.start, size: end.rawValue - last.start.rawValue)
    }
    return apart
  }

  /// Returns the addresses that the kernel, the loader and linkage tables call. Skips damaged
  /// tables.
  private static func calledByTheLoader(in file: ELFFile) -> [StatedAddress] {
    var found = [file.header.entry]
    found += ((try? file.initializers()) ?? []).compactMap(\.address)
    if let section = file.section(.finiArray) {
      found += ((try? file.pointers(in: section)) ?? []).compactMap { $0 }
    }
    found += (try? file.jumpSlotTargets()) ?? []
    return found
  }

  /// Marks the labels that code calls or jumps to, unless an instruction reads them or takes their
  /// address.
  private static func addBranchTargets(
    to isFunction: inout [Bool], _ labels: [Label], known: [AddressRange], in file: ELFFile,
    _ index: (StatedAddress) -> Int?
  ) {
    let scan: CodeScan
    switch (file.header.machine, file.header.endianness) {
    case (.x8664, .little): scan = .x8664
    case (.aarch64, .little): scan = .aarch64
    default: return
    }
    /// The targets of branches in the code of each label, up to the next label. The last element
    /// has the targets of branches in known code.
    var targets = [[Int]](repeating: [], count: labels.count + 1)
    var isReferredTo = [Bool](repeating: false, count: labels.count)
    var budget = ByteBudget(limit: UInt64(file.bytes.count))
    for section in file.sections
    where section.flags.contains(.executable) && section.type != .noBits {
      guard let range = try? file.contents(of: section).indices, budget.take(range.count) else {
        continue
      }
      scan.forEachReference(in: file.bytes, range, at: section.range.start) { reference in
        guard let target = index(reference.target) else { return }
        guard reference.kind == .branch else {
          isReferredTo[target] = true
          return
        }
        let site = range.lowerBound + Int(reference.site.rawValue &- section.range.start.rawValue)
        guard !labels[target].isLocal || scan.isCall(in: file.bytes, at: site) else { return }
        let next = known.partitioningIndex { $0.start > reference.site }
        if next > 0, known[next - 1].contains(reference.site) {
          targets[labels.count].append(target)
          return
        }
        let label = labels.partitioningIndex { $0.address > reference.site }
        guard label > 0, section.range.contains(labels[label - 1].address),
          next == 0 || known[next - 1].start < labels[label - 1].address
        else { return }
        targets[label - 1].append(target)
      }
    }
    var pending = [labels.count] + labels.indices.filter { isFunction[$0] }
    while let caller = pending.popLast() {
      for target in targets[caller] where !isFunction[target] && !isReferredTo[target] {
        isFunction[target] = true
        pending.append(target)
      }
    }
  }
}

extension CodeScan {
  /// Whether the branch at `index` in `bytes` is a call.
  fileprivate func isCall(in bytes: FileBytes, at index: Int) -> Bool {
    switch self {
    case .x8664: bytes[index] == 0xe8
    case .aarch64: bytes[index + 3] & 0x80 != 0  // BL
    }
  }
}
