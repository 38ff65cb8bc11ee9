// Which function of this build is which function of the recorded build?
//
// 1. Functions with a name in common and the same blocks are the same (`MatchedBlocks`). They may be several.
// 2. Of the other functions of a name, the pair with the most matching blocks is the same function in two versions, then
//    the next pair, and so on. If two pairs are equally good, nothing shows which of them is right: both are left out.
// 3. A function that ran, and whose names are gone, may have other parameters now, which C++ and Swift state in the name.
//    Functions whose names differ in nothing else are compared as in step 2.
// 4. Or it was renamed: to the function with a new name that has the same code. Half of the bytes of both functions must
//    be in blocks with the same code.
//
// Step 2 is the usual case of an edited function. It compares several functions if static functions of several files have
// the same name. LLVM and BOLT find renamed functions by the functions that they call and that call them
// (SampleProfileMatcher.cpp, StaleProfileMatching.cpp); here the code is known, so it is compared.

import Addresses
import ImageModel

/// The functions of this build that ran in a recorded build, and the functions with their names.
struct FunctionPairs {
  /// Functions with the same blocks in both builds, and the IDs of the blocks that ran.
  private(set) var same: [(function: BlockMap.Function, ran: Set<UInt32>)] = []
  /// Functions with other blocks, and their blocks.
  private(set) var edited: [Pair] = []
  /// Functions that no recorded function matches, and how they differ from a function of the same name that ran.
  private(set) var drifted:
    [(function: BlockMap.Function, difference: BlockDifference, isRenamed: Bool)] = []

  /// A function in two versions.
  struct Pair {
    var function: BlockMap.Function
    var recorded: BlockMap.Function
    var blocks: BlockMatching
    var isRenamed = false
  }

  /// The functions of this build and of the recorded build that have been found in the other build.
  private var known: Set<StatedAddress> = []
  private var identified: Set<StatedAddress> = []

  /// - Parameter executed: the IDs of the blocks that ran, by the first addresses of their functions in `recorded`.
  /// - Complexity: O(*b* log *b*) on average for *b* blocks of functions of the same names in both builds.
  init(
    _ executed: [StatedAddress: Set<UInt32>], _ build: inout MappedRelease,
    _ recorded: inout MappedRelease
  ) {
    var byName: [SymbolName: [BlockMap.Function]] = [:]
    for entry in executed.keys.sorted() {
      guard let function = recorded.map.function(at: entry) else { continue }
      for name in recorded.names(at: entry) { byName[name, default: []].append(function) }
    }
    let names = byName.sorted { $0.key < $1.key }
    for (name, functions) in names { addSame(name, functions, executed, &build, &recorded) }
    for (name, functions) in names { addEdited(name, functions, executed, &build, &recorded) }
    addRenamed(executed, &build, &recorded)
  }

  /// Step 1: adds the functions of a name that have the same blocks in both builds.
  ///
  /// - Parameter functions: the functions of this name that ran.
  private mutating func addSame(
    _ name: SymbolName, _ functions: [BlockMap.Function],
    _ executed: [StatedAddress: Set<UInt32>], _ build: inout MappedRelease,
    _ recorded: inout MappedRelease
  ) {
    var (ran, idle, own) = (MatchedBlocks(), MatchedBlocks(), MatchedBlocks())
    let others = recorded.functions(named: name) + functions
    for other in others {
      let shape = recorded.map.shape(of: other)
      if let ids = executed[other.entry] {
        ran.add(shape, ids: ids)
      } else {
        idle.add(shape, ids: [])
      }
    }
    for function in build.functions(named: name) {
      let shape = build.map.shape(of: function)
      own.add(shape, ids: [])
      if let ids = ran.ids(of: shape) {
        same.append((function, ids))
      } else if idle.ids(of: shape) == nil {
        continue
      }
      known.insert(function.entry)
    }
    for other in others where own.ids(of: recorded.map.shape(of: other)) != nil {
      identified.insert(other.entry)
    }
  }

  /// Step 2: adds the other functions of a name.
  private mutating func addEdited(
    _ name: SymbolName, _ functions: [BlockMap.Function],
    _ executed: [StatedAddress: Set<UInt32>], _ build: inout MappedRelease,
    _ recorded: inout MappedRelease
  ) {
    let ran = functions.filter { !identified.contains($0.entry) }
    guard let first = ran.first else { return }
    let own = build.functions(named: name).filter { !known.contains($0.entry) }
    let others = Dictionary(
      (ran + recorded.functions(named: name)).filter { !identified.contains($0.entry) }
        .map { ($0.entry, $0) }
    ) { one, _ in one }
    let pairs = Self.pairs(own, others.values.sorted { $0.entry < $1.entry }, build, recorded)
    note(pairs)
    edited += pairs.filter { executed[$0.recorded.entry] != nil }
    addDrifted(own, from: first, isRenamed: false, build, recorded)
  }

  /// Steps 3 and 4: adds functions whose names only one of the builds has.
  private mutating func addRenamed(
    _ executed: [StatedAddress: Set<UInt32>], _ build: inout MappedRelease,
    _ recorded: inout MappedRelease
  ) {
    var gone = executed.keys.sorted().filter { !identified.contains($0) }.compactMap {
      recorded.map.function(at: $0)
    }.filter { function in
      !recorded.names(at: function.entry).contains { build.hasFunction(named: $0) }
    }
    guard !gone.isEmpty else { return }
    var added = build.map.functions.filter { function in
      let names = build.names(at: function.entry)
      return !names.isEmpty && !names.contains { recorded.hasFunction(named: $0) }
    }
    for (others, own) in ShortNamesakes(gone, added, recorded, build).groups {
      var pairs = Self.pairs(own, others, build, recorded)
      for index in pairs.indices { pairs[index].isRenamed = true }
      note(pairs)
      edited += pairs
      guard let first = others.first(where: { !identified.contains($0.entry) }) else { continue }
      addDrifted(own, from: first, isRenamed: true, build, recorded)
    }
    gone.removeAll { identified.contains($0.entry) }
    added.removeAll { known.contains($0.entry) }
    edited += RenamedFunctions(gone, added, build, recorded).pairs
  }

  private mutating func note(_ pairs: [Pair]) {
    known.formUnion(pairs.map(\.function.entry))
    identified.formUnion(pairs.map(\.recorded.entry))
  }

  /// Adds the functions of `own` that no recorded function matches.
  private mutating func addDrifted(
    _ own: [BlockMap.Function], from recordedFunction: BlockMap.Function, isRenamed: Bool,
    _ build: MappedRelease, _ recorded: MappedRelease
  ) {
    for function in own where !known.contains(function.entry) {
      guard
        let difference = build.map.drift(of: function, from: recordedFunction, in: recorded.map)
      else { continue }
      if isRenamed { known.insert(function.entry) }
      drifted.append((function, difference, isRenamed))
    }
  }

  /// The share of the blocks of an edited function that must match.
  private static let leastMatched = Share(percent: 25)
  /// The most pairs of functions of one name that are compared.
  private static let mostPairs = 64

  /// Returns the functions of `own` and `others` that are the same function, the best pairs first.
  private static func pairs(
    _ own: [BlockMap.Function], _ others: [BlockMap.Function], _ build: MappedRelease,
    _ recorded: MappedRelease
  ) -> [Pair] {
    guard let contents = build.contents, let otherContents = recorded.contents,
      !own.isEmpty, !others.isEmpty, own.count <= mostPairs / others.count
    else { return [] }
    struct Candidate {
      var pair: Pair
      /// Matched blocks in thousandths of the blocks of both functions.
      var share: Int
    }
    var candidates: [Candidate] = []
    let theirs = others.map { otherContents.contents(of: $0) }
    for function in own {
      let blocks = contents.contents(of: function)
      for (other, others) in zip(others, theirs) {
        let matching = BlockMatching(others, blocks)
        guard leastMatched.isReached(by: matching.matchedCount, of: blocks.count) else { continue }
        candidates.append(
          Candidate(
            pair: Pair(function: function, recorded: other, blocks: matching),
            share: 2000 * matching.matchedCount / (blocks.count + others.count)))
      }
    }
    candidates.sort {
      ($1.share, $0.pair.function.entry, $0.pair.recorded.entry)
        < ($0.share, $1.pair.function.entry, $1.pair.recorded.entry)
    }
    var used: (own: Set<StatedAddress>, others: Set<StatedAddress>) = ([], [])
    func isFree(_ one: Candidate) -> Bool {
      !used.own.contains(one.pair.function.entry) && !used.others.contains(one.pair.recorded.entry)
    }
    var pairs: [Pair] = []
    for one in candidates where isFree(one) {
      let (function, other) = (one.pair.function.entry, one.pair.recorded.entry)
      let rivals = candidates.filter {
        $0.share == one.share && isFree($0)
          && ($0.pair.function.entry == function) != ($0.pair.recorded.entry == other)
      }
      if rivals.isEmpty { pairs.append(one.pair) }
      for each in rivals + [one] {
        used.own.insert(each.pair.function.entry)
        used.others.insert(each.pair.recorded.entry)
      }
    }
    return pairs
  }
}
