// Splitting functions when they are compiled again: clang's -fbasic-block-sections=list=, lld's
// --lto-basic-block-sections=.
//
// The blocks of a function that ran are one cluster, in the order of the code, the entry first; the compiler puts all
// other blocks into the part NAME.cold. The compiler does not check the profile, and there are four traps:
//
// - Exceptions. If landing pads are in both parts, the compiler puts all of them into a third part, NAME.eh. So landing
//   pads stay together: with the blocks that ran if a landing pad ran, otherwise in the cold part.
// - Namesakes. A name that several modules have needs the name of the compile unit, which debug information states.
//   Without debug information, the function stays whole.
// - Aliases. The profile is looked up by the name that the compiler's function has, which may be any of the names at
//   the address: all names are listed.
// - Empty blocks have no code, so that no launch runs them. But control falls through them, or jumps to them: an empty
//   block is put into the part with the block that begins at the same address.
//
// Blocks that no recorded launch ran may run since an edit. So after an edit, the smallest cold parts come first, next to
// the parts that run: then such blocks share pages.
//
// Short gaps between blocks that ran stay with them (`SplitGap`). A function is not in the profile if all its other
// blocks ran.

import Addresses
import ClusterProfileFormat
import ImageModel
import Rendering

extension SplitFormat {
  /// The format of the profiles by which clang 19 or later splits functions, or LLVM 19 or later during link-time
  /// optimization.
  package static let clang = SplitFormat(
    name: "clang", isForLinker: true,
    use: { "compile with -fbasic-block-address-map -fbasic-block-sections=list=\($0)" },
    write: splitByClang)
}

@Sendable private func splitByClang(_ request: SplitRequest) throws(Diagnostic) -> SplitOrder {
  let path = request.release.path
  guard let map = request.executed.map else { throw .unsplittable(path) }
  guard map.statesIDs else {
    throw Diagnostic(
      "unsupported basic block address map: expected block IDs, found none", context: [path],
      hint: "compile the program with clang 19 or later", severity: .mismatch)
  }
  guard !request.executed.isEmpty || request.executed.findings.counts != nil else {
    throw Diagnostic(
      "missing basic blocks: the traces recorded functions only", context: [path],
      hint: "record with 'orderfile record --breakpoints --blocks'", severity: .nothingRecorded)
  }
  var split = ClangSplit(request, map)
  split.appendAll()
  return split.order(header: request.header)
}

private struct ClangSplit {
  private let request: SplitRequest
  private let map: BlockMap
  private let units: CompileUnits
  private var layout: Layout { request.release.layout }
  private var profile: [ClusterProfile.Function] = []
  private var hot: [Part] = []
  /// The parts that are split off, and their sizes.
  private var cold: [(part: Part, bytes: UInt64)] = []
  /// Whole functions that may run, after all code that ran.
  private var late: [Part] = []
  private var summary = SplitSummary()
  private var unmapped = UnmappedCode()
  /// The functions that have a place in the order, by their first addresses.
  private var isPlaced: Set<StatedAddress>
  /// How each body is split or why it is left whole, by its first address.
  private var decisions: [StatedAddress: Decision] = [:]

  /// A newly used function stays whole if less than this of its code did not run.
  private static let mostNewlyUsedBytes: UInt64 = 256

  private enum Decision {
    case whole
    /// Blocks as parts of the function, and the names that the compiler may have for it.
    case split(hot: [FunctionBlock], cold: [FunctionBlock], names: Set<SymbolName>)
    /// The body is a part of another function, and is placed with that function.
    case furtherPart
  }

  init(_ request: SplitRequest, _ map: BlockMap) {
    self.request = request
    self.map = map
    units = CompileUnits(request.release, map)
    let functions = request.release.layout.functions
    isPlaced = Set(request.order.map { functions[$0.function].address })
    summary.otherBuilds = request.executed.findings.counts
  }

  /// Appends the functions in their order. After each function come the functions that only this build runs and that
  /// the function uses.
  mutating func appendAll() {
    let order = request.order
    let addresses = order.map { layout.functions[$0.function].address }
    for (index, part) in order.enumerated() {
      append(part)
      // The aliases of a function stay adjacent.
      guard index + 1 == order.count || addresses[index + 1] != addresses[index] else { continue }
      appendReachedFunctions(usedBy: addresses[index])
    }
    for entry in request.executed.findings.renamed where isPlaced.insert(entry).inserted {
      for alias in layout.functions(at: entry) { append(Part(alias)) }
    }
    for entry in request.executed.reached?.large ?? [] where isPlaced.insert(entry).inserted {
      count(reached: entry)
      late += layout.functions(at: entry).map { Part($0) }
    }
  }

  private mutating func append(_ part: Part) {
    let function = layout.functions[part.function]
    switch decision(function) {
    case .whole: hot.append(part)
    case .furtherPart: break
    case .split(let hot, let cold, let names):
      self.hot.append(Part(part.function, blocks: hot))
      guard names.contains(layout.name(of: function)) else { break }
      self.cold.append((Part(part.function, blocks: cold), Self.byteCount(cold)))
    }
  }

  /// Appends the reached functions that the function at `entry` uses. After each of them come the reached functions
  /// that it uses itself.
  private mutating func appendReachedFunctions(usedBy entry: StatedAddress) {
    guard let reached = request.executed.reached else { return }
    // The function to append next is the last. A crafted image may have a long chain of calls, so this does not recur.
    var pending = Array((reached.byUser[entry] ?? []).reversed())
    while let next = pending.popLast() {
      guard isPlaced.insert(next).inserted else { continue }
      count(reached: next)
      for alias in layout.functions(at: next) { append(Part(alias)) }
      pending.append(contentsOf: (reached.byUser[next] ?? []).reversed())
    }
  }

  private mutating func count(reached entry: StatedAddress) {
    guard let reached = request.executed.reached,
      !request.executed.findings.hasFunction(at: entry)
    else { return }
    summary.otherBuilds?.add(isNew: reached.new.contains(entry))
  }

  private static func byteCount(_ blocks: [FunctionBlock]) -> UInt64 {
    blocks.reduce(0) { $0 + $1.size }
  }

  func order(header: [String]) -> SplitOrder {
    var summary = summary
    summary.unmapped = unmapped
    var cold = Array(cold.enumerated())
    if summary.otherBuilds != nil {
      cold.sort { ($0.element.bytes, $0.offset) < ($1.element.bytes, $1.offset) }
    }
    return SplitOrder(
      profile: ClusterProfile(functions: profile).written(header: header), parts: hot,
      splitOff: late + cold.map(\.element.part), summary: summary)
  }

  private mutating func decision(_ function: PlacedSymbol) -> Decision {
    if let known = decisions[function.address] { return known }
    let decision = decide(function)
    decisions[function.address] = decision
    return decision
  }

  private mutating func decide(_ function: PlacedSymbol) -> Decision {
    guard let blocks = map.function(at: function.address) else {
      guard map.block(at: function.address) == nil else { return .furtherPart }
      unmapped.add(function, hasMap: false)
      return .whole
    }
    unmapped.add(function, hasMap: true)
    let names = compilersNames(of: layout.functions[layout.functions(at: function.address)])
    if let reason = request.executed.findings.reasonToStayWhole(at: function.address) {
      summary.leftWhole.append(NameWithReason(name: names[0], reason: reason))
      return .whole
    }
    let all = Array(map.blocks(of: blocks))
    let ran = executedBlocks(all)
    guard let entry = all.first, zip(all, ran).contains(where: { !$1 && $0.size > 0 }) else {
      return .whole
    }
    let coldBytes = zip(all, ran).reduce(0) { $1.1 ? $0 : $0 + UInt64($1.0.size) }
    if coldBytes < Self.mostNewlyUsedBytes,
      request.executed.reached?.newlyUsed.contains(function.address) == true
    {
      return .whole
    }
    guard entry.id == 0, entry.start == function.address,
      Set(all.map(\.id)).count == all.count
    else {
      summary.leftWhole.append(
        NameWithReason(name: names[0], reason: "unable to split: unexpected block IDs"))
      return .whole
    }
    let cluster = zip(all, ran).filter(\.1).map(\.0.id)
    var listed: Set<SymbolName> = []
    for entry in units.entries(for: names, at: function.address, in: request.names) {
      profile.append(
        ClusterProfile.Function(
          unit: entry.unit?.bytes, names: entry.names.map(\.bytes), clusters: [cluster]))
      listed.formUnion(entry.names)
    }
    guard !listed.isEmpty else {
      summary.leftWhole.append(
        NameWithReason(
          name: names[0],
          reason: "unable to split: several functions have this name, and no debug information "
            + "names their source files"))
      return .whole
    }
    summary.functions += 1
    func parts(_ isHot: Bool) -> [FunctionBlock] {
      zip(all, ran).filter { $1 == isHot }.map {
        FunctionBlock(
          offset: $0.0.start.rawValue &- function.address.rawValue, size: UInt64($0.0.size))
      }
    }
    let (hot, cold) = (parts(true), parts(false))
    summary.hotBytes += Self.byteCount(hot)
    summary.coldBytes += Self.byteCount(cold)
    return .split(hot: hot, cold: cold, names: withoutConstructorAliases(listed))
  }

  /// Returns the names at an address, ascending, without the names that the linker has added (`--defsym`, by which
  /// SwiftPM names `main`): these have no size.
  private func compilersNames(of aliases: ArraySlice<PlacedSymbol>) -> [SymbolName] {
    let sized = aliases.filter { $0.knownBytes > 0 }
    return (sized.isEmpty ? aliases : sized[...]).map { layout.name(of: $0) }.sorted()
  }

  /// Returns `names` without the names of complete constructors and destructors that are also the base constructor or
  /// destructor. The compiler's function is then the base constructor or destructor, and its name is also in the name
  /// of the cold part. The complete constructor or destructor is an alias.
  ///
  /// - Complexity: O(*b* log *n*) for *b* bytes in *n* names.
  private func withoutConstructorAliases(_ names: Set<SymbolName>) -> Set<SymbolName> {
    // If names differ in nothing else, the base constructor's name is the last: C1 < C2.
    var bases: [[UInt8]: SymbolName] = [:]
    for name in names.sorted() { bases[Self.ofBaseConstructors(name.bytes)] = name }
    return names.filter { bases[Self.ofBaseConstructors($0.bytes)] == $0 }
  }

  /// Returns a C++ name in which `C2` and `D2`, base constructors and destructors, replace each `C1` and `D1` that may
  /// be a complete constructor or destructor: `E` or the arguments of a template follow it.
  /// <https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling-special-ctor-dtor>
  private static func ofBaseConstructors(_ name: [UInt8]) -> [UInt8] {
    guard name.starts(with: "_Z".utf8) else { return name }
    var name = name
    for index in name.indices.dropLast(2) where name[index + 1] == UInt8(ascii: "1") {
      let (kind, next) = (name[index], name[index + 2])
      guard kind == UInt8(ascii: "C") || kind == UInt8(ascii: "D"),
        next == UInt8(ascii: "E") || next == UInt8(ascii: "I")
      else { continue }
      name[index + 1] = UInt8(ascii: "2")
    }
    return name
  }

  /// For each block of a function, whether it belongs to the blocks that ran; empty if no block ran.
  private func executedBlocks(_ all: [BlockMap.Block]) -> [Bool] {
    var ran = all.map { request.executed.ran(at: $0.start) }
    guard ran.contains(true) else { return [] }
    ran[0] = true
    if zip(all, ran).contains(where: { $0.isLandingPad && $1 }) {
      for (index, block) in all.enumerated() where block.isLandingPad { ran[index] = true }
    }
    keepShortGaps(in: &ran, of: all)
    return ran
  }

  /// Counts gaps that are too short to be split off as executed, unless they contain landing pads.
  private func keepShortGaps(in ran: inout [Bool], of all: [BlockMap.Block]) {
    var index = 0
    while index < all.count {
      let first = index
      index += 1
      guard !ran[first] else { continue }
      var end = all[first].range.end
      while index < all.count, !ran[index], SplitGap.isShort(from: end, to: all[index].start) {
        end = all[index].range.end
        index += 1
      }
      let gap = first..<index
      if SplitGap.isShort(from: all[first].start, to: end),
        !all[gap].contains(where: \.isLandingPad)
      {
        for block in gap { ran[block] = true }
      }
    }
  }
}
