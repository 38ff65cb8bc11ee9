import Addresses
import ByteReading
import Demangling
import ImageModel

/// The functions of a release layout by name, for looking up names from other builds.
///
/// The index of exact names is built at once; the index of canonical names only when a name has no exact
/// match, because many programs never need it. Results are cached, so that many launches look up each name
/// once. So `resolve` is `mutating`, and a map belongs to one thread.
package struct SymbolMap {
  package let layout: Layout
  private let exact: NameIndex
  private var canonical: NameIndex?
  private var promoted: PromotedNames?
  private var resolutionOfName: [Recorded: Resolution] = [:]
  private var namesakes: [SymbolName: Namesakes] = [:]
  private var bestMatches: [CanonicalName: BestMatches] = [:]

  private struct Recorded: Hashable {
    var name: SymbolName
    var objectFile: SymbolName?
  }

  private struct BestMatches {
    var functions: Namesakes
    /// How well the functions match the name; `nil` if there are none.
    var match: CanonicalName.Match?
  }

  /// - Complexity: O(*b*) for *b* bytes in all names.
  package init(_ layout: Layout) {
    self.layout = layout
    exact = NameIndex(layout.functions.map(\.name), in: layout.names)
  }
}

extension SymbolMap {
  /// The indexes of the layout's functions with exactly that name, ascending.
  package func functions(named name: ArraySlice<UInt8>) -> [Int] { exact.entries(Array(name)) }

  /// Whether functions at several addresses have exactly that name.
  ///
  /// - Complexity: O(*n* + *k*) for *n* bytes of the name and *k* functions of that name at the first of the addresses.
  package func hasSeveralBodies(named name: SymbolName) -> Bool {
    var first: StatedAddress?
    return exact.contains(name.bytes) { index in
      let address = layout.functions[index].address
      defer { first = first ?? address }
      return address != first ?? address
    }
  }

  /// All functions with exactly that name, as a linker finds them for a line of an order file.
  ///
  /// - Parameter objectFile: in ld64's notation; it counts only if the layout has object files.
  /// - Returns: `exact`, or `missing` with the linker's reason.
  package func resolveAsLinker(_ name: SymbolName, in objectFile: SymbolName? = nil) -> Resolution {
    let found = exact.entries(name.bytes).filter { index in
      guard let objectFile, let file = layout.functions[index].objectFile else { return true }
      return layout.names[file] == objectFile.bytes[...]
    }
    return found.isEmpty ? .missing(.noSuchSymbol) : .exact(found)
  }

  /// The functions that correspond to a function recorded in another build of the same program.
  ///
  /// If the release build has the name, these are the functions of that name; the local functions that were promoted
  /// from the name, `name.llvm.1`, which may have had the same name in the recorded build; and the merged body
  /// `nameTm`, which Swift made of this function and similar functions: the function only jumps there, so both run.
  /// With control-flow integrity, `name` may be an entry of a jump table that jumps to `name.cfi`: then `name.cfi` is
  /// found, too. Otherwise, these are the functions whose names have the same canonical form and match best
  /// (`CanonicalName.Match`).
  ///
  /// A merged body `fTm` that only the recorded build has runs for one of several originals. If the trace has entry
  /// addresses, each original that ran was recorded too. The release build's `f` is returned nevertheless, as
  /// `original`, because a trace that has only return addresses does not show which originals ran.
  ///
  /// - Parameter objectFile: the object file to which the compiler wrote the function in the recorded build, in ld64's
  ///   notation. If several functions have the name, it selects the functions from the same file, or else from the same
  ///   member of any archive. If there are none, all functions are returned.
  /// - Complexity: O(*n* + *k*) for *n* bytes of the name and *k* functions of the same canonical form, the
  ///   first time; once O(*b*) for *b* bytes in all names.
  package mutating func resolve(
    _ name: SymbolName, from objectFile: SymbolName? = nil
  ) -> Resolution {
    let recorded = Recorded(name: name, objectFile: objectFile)
    if let known = resolutionOfName[recorded] { return known }
    let resolution = resolveAnew(name, from: objectFile)
    resolutionOfName[recorded] = resolution
    return resolution
  }

  private mutating func resolveAnew(
    _ name: SymbolName, from objectFile: SymbolName?
  ) -> Resolution {
    if isOutlined(name.bytes[...]) { return .missing(.outlined) }
    var found = namesakes(of: name).narrowed(to: objectFile)
    if !found.isEmpty {
      let promoted = promotedFunctions(from: name)
      found += promoted
      found += bodies(ofJumpTableEntry: name)
      found += mergedBodies(of: name)
      return .exact(found.sorted())
    }
    let isConstructor = ["sancov.module_ctor", "_sancov.module_ctor"].contains {
      name.bytes.starts(with: $0.utf8)
    }
    if isConstructor { return .missing(.sanitizerConstructor) }
    return resolveCanonically(name, from: objectFile)
  }

  /// The functions with exactly that name. If there are several, they are looked up only once.
  private mutating func namesakes(of name: SymbolName) -> Namesakes {
    guard let first = exact.first(name.bytes) else { return Namesakes([], in: layout) }
    guard exact.hasNamesakes(first) else { return Namesakes([first], in: layout) }
    let known = namesakes[name] ?? Namesakes(exact.entries(name.bytes), in: layout)
    namesakes[name] = known
    return known
  }

  private mutating func resolveCanonically(
    _ name: SymbolName, from objectFile: SymbolName?
  ) -> Resolution {
    let canonicalName = CanonicalName(name)
    let best = bestMatches[canonicalName] ?? bestMatches(of: canonicalName)
    bestMatches[canonicalName] = best
    if let match = best.match {
      return .canonical(best.functions.narrowed(to: objectFile), match)
    }
    switch canonicalName.part {
    case .cold: return .missing(.coldPart)
    case .mergedBody: return .missing(.mergedBody)
    case .whole, .partial: return .missing(.inlinedOrRemoved)
    }
  }

  /// The functions whose names match best; they are the same for all names of one canonical form.
  private mutating func bestMatches(of recorded: CanonicalName) -> BestMatches {
    let index = canonical ?? NameIndex(canonicalNamesOf: layout)
    canonical = index
    var best: CanonicalName.Match?
    var found: [Int] = []
    var compared = 0
    _ = index.contains(recorded.base) { candidate in
      compared += 1
      if let match = recorded.match(inRelease: ending(ofFunction: candidate)),
        best.map({ match <= $0 }) ?? true
      {
        if match != best { found = [] }
        best = match
        found.append(candidate)
      }
      return compared == Self.mostCandidates
    }
    return BestMatches(functions: Namesakes(found, in: layout), match: best)
  }

  /// The maximum number of names of one canonical form that are compared with a recorded name; real programs have a
  /// few.
  private static let mostCandidates = 1024

  private mutating func promotedFunctions(from name: SymbolName) -> [Int] {
    let names = promoted ?? PromotedNames(layout)
    promoted = names
    return names.functions(from: name)
  }

  /// Whether several of the functions that were found for `name` match it, and nothing shows which of them ran: local
  /// functions of the same name, or clones. Aliases at one address are not ambiguous, nor is a function with the merged
  /// body that it jumps to.
  ///
  /// - Parameter found: the `functions` of the resolution of `name`.
  package func isAmbiguous(_ found: [Int], for name: SymbolName) -> Bool {
    func areApart(_ indexes: [Int]) -> Bool {
      guard let first = indexes.first else { return false }
      return indexes.contains { layout.functions[$0].address != layout.functions[first].address }
    }
    let merged = mergedBodies(of: name)
    let alternatives = found.filter { !merged.contains($0) }
    // An entry of a jump table and the code that it jumps to count as one function.
    return areApart(alternatives) && areApart(alternatives.filter { !isJumpTableEntry($0) })
  }

  /// Returns the functions `nameTm`: the merged bodies to which `name` jumps, if Swift's compiler made them.
  private func mergedBodies(of name: SymbolName) -> [Int] {
    let mangling = Mangling(of: name.bytes, in: name.bytes.indices)
    guard mangling == .swift || mangling == .itanium else { return [] }
    return exact.entries(name.bytes + Array("Tm".utf8))
  }

  /// Returns the functions `name.cfi`: the code of `name`, if control-flow integrity made `name` an
  /// entry of a jump table.
  private func bodies(ofJumpTableEntry name: SymbolName) -> [Int] {
    exact.entries(name.bytes + Array(".cfi".utf8))
  }

  private func isJumpTableEntry(_ index: Int) -> Bool {
    let name = layout.name(of: layout.functions[index])
    return name.bytes.suffix(7) == Array(".cfi_jt".utf8)[...]
      || !bodies(ofJumpTableEntry: name).isEmpty
  }
}

extension SymbolMap {
  private func ending(ofFunction index: Int) -> NameEnding {
    let name = layout.functions[index].name
    let start = Int(name.offset)
    return NameEnding(of: layout.names.bytes, in: start..<start + Int(name.count))
  }
}

/// The functions of a layout with one name, by their object files.
private struct Namesakes {
  /// The indexes of all functions with the name, ascending.
  private let all: [Int]
  private var ofFile: [NameKey: [Int]] = [:]
  private var ofMember: [NameKey: [Int]] = [:]

  init(_ found: [Int], in layout: Layout) {
    all = found
    guard found.count > 1 else { return }
    for index in found {
      let function = layout.functions[index]
      let files = [function.compiledObjectFile, function.objectFile].compactMap { $0 }
        .map { layout.names[$0] }
      for file in Set(files.map { NameKey($0) }) { ofFile[file, default: []].append(index) }
      for member in Set(files.map { NameKey(archiveMember($0)) }) {
        ofMember[member, default: []].append(index)
      }
    }
  }

  /// The functions that are defined in `objectFile`, or else in an archive member of that name; all functions if there
  /// are none.
  func narrowed(to objectFile: SymbolName?) -> [Int] {
    guard let objectFile else { return all }
    return ofFile[NameKey(objectFile.bytes)]
      ?? ofMember[NameKey(archiveMember(objectFile.bytes[...]))] ?? all
  }
}
