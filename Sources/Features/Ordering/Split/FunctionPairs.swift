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
    let names = byName.keys.sorted()
    /// The functions of this build and of the recorded build that have been found in the other build.
    var (known, identified) = (Set<StatedAddress>(), Set<StatedAddress>())
    for name in names {
      var (ran, idle, own) = (MatchedBlocks(), MatchedBlocks(), MatchedBlocks())
      let others = recorded.functions(named: name)
      for other in others + (byName[name] ?? []) {
        let ids = executed[other.entry]
        if let ids {
          ran.add(recorded.map.shape(of: other), ids: ids)
        } else {
          idle.add(recorded.map.shape(of: other), ids: [])
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
      for other in others + (byName[name] ?? [])
      where own.ids(of: recorded.map.shape(of: other)) != nil {
        identified.insert(other.entry)
      }
    }
    for name in names {
      let ran = byName[name]?.filter { !identified.contains($0.entry) } ?? []
      guard let first = ran.first else { continue }
      let own = build.functions(named: name).filter { !known.contains($0.entry) }
      let others = Dictionary(
        (ran + recorded.functions(named: name)).filter { !identified.contains($0.entry) }
          .map { ($0.entry, $0) }
      ) { one, _ in one }
      let pairs = Self.pairs(own, others.values.sorted { $0.entry < $1.entry }, build, recorded)
      for pair in pairs {
        known.insert(pair.function.entry)
        identified.insert(pair.recorded.entry)
        if executed[pair.recorded.entry] != nil { edited.append(pair) }
      }
      for function in own where !known.contains(function.entry) {
        guard let difference = build.map.drift(of: function, from: first, in: recorded.map) else {
          continue
        }
        drifted.append((function, difference, false))
      }
    }
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
    let namesakes = ShortNamesakes(gone, added, recorded, build)
    for (others, own) in namesakes.groups {
      let pairs = Self.pairs(own, others, build, recorded)
      known.formUnion(pairs.map(\.function.entry))
      identified.formUnion(pairs.map(\.recorded.entry))
      for var pair in pairs {
        pair.isRenamed = true
        edited.append(pair)
      }
      guard let first = others.first(where: { !identified.contains($0.entry) }) else { continue }
      for function in own where !known.contains(function.entry) {
        guard let difference = build.map.drift(of: function, from: first, in: recorded.map) else {
          continue
        }
        known.insert(function.entry)
        drifted.append((function, difference, true))
      }
    }
    gone.removeAll { identified.contains($0.entry) }
    added.removeAll { known.contains($0.entry) }
    edited += RenamedFunctions(gone, added, build, recorded).pairs
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
