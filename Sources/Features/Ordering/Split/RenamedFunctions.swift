import Addresses
import ImageModel

/// Finds functions that were renamed: by code that is equal in both builds.
struct RenamedFunctions {
  /// The functions, the surest first.
  private(set) var pairs: [FunctionPairs.Pair] = []

  /// - Parameters:
  ///   - gone: functions of `recorded` whose names `build` does not have.
  ///   - added: functions of `build` whose names `recorded` does not have.
  /// - Complexity: O(*b*) on average for *b* bytes of the functions.
  init(
    _ gone: [BlockMap.Function], _ added: [BlockMap.Function], _ build: MappedRelease,
    _ recorded: MappedRelease
  ) {
    guard !gone.isEmpty, let contents = build.contents, let otherContents = recorded.contents else {
      return
    }
    let theirs = gone.map { otherContents.contents(of: $0) }
    /// The places in `gone` of the functions with a block of this code.
    var byCode: [UInt64: [Int]] = [:]
    for (place, blocks) in theirs.enumerated() {
      for code in blocks.compactMap(\.code) where byCode[code]?.last != place {
        if byCode[code, default: []].count < Self.mostAlike {
          byCode[code, default: []].append(place)
        }
      }
    }
    var candidates: [(bytes: UInt64, function: BlockMap.Function, place: Int)] = []
    for function in added {
      var equal: [Int: UInt64] = [:]
      for (block, content) in zip(build.map.blocks(of: function), contents.contents(of: function)) {
        for place in content.code.flatMap({ byCode[$0] }) ?? [] {
          equal[place, default: 0] += UInt64(block.size)
        }
      }
      let size = build.map.byteCount(of: function)
      for (place, bytes) in equal.sorted(by: { $0.key < $1.key })
      where 2 * bytes >= max(size, recorded.map.byteCount(of: gone[place])) {
        candidates.append((bytes, function, place))
      }
    }
    candidates.sort {
      ($1.bytes, $0.function.entry, $0.place) < ($0.bytes, $1.function.entry, $1.place)
    }
    var used: (own: Set<StatedAddress>, gone: Set<Int>) = ([], [])
    for (_, function, place) in candidates
    where !used.gone.contains(place) && !used.own.contains(function.entry) {
      used.own.insert(function.entry)
      used.gone.insert(place)
      pairs.append(
        FunctionPairs.Pair(
          function: function, recorded: gone[place],
          blocks: BlockMatching(theirs[place], contents.contents(of: function)), isRenamed: true))
    }
  }

  /// The most functions with a block of the same code that are compared.
  private static let mostAlike = 8
}
