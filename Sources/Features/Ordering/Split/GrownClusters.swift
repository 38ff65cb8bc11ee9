// A cluster profile that keeps more together
//
// A split build may run blocks that its profile has split off. They are appended to the blocks that ran, in the order
// of the code. The profile's own choices stay: a function that it does not list stays whole, and no block leaves a
// part. Landing pads stay together, as the compiler wants them: if one of them is appended, all are.

import Addresses
import ClusterProfileFormat
import CommandSupport
import ImageModel
import Symbolication

/// A profile to which the blocks are added that a launch of its build ran, and the number of added blocks.
package struct GrownClusters {
  package private(set) var profile: ClusterProfile
  package private(set) var addedBlocks = 0

  private struct Key: Hashable {
    var unit: [UInt8]?
    var name: [UInt8]
  }

  /// - Parameters:
  ///   - profile: the profile with which `release` was compiled.
  ///   - executed: the first addresses of the blocks of `release` that a launch ran.
  ///   - map: the map of `release`.
  /// - Complexity: O(*n* log *n*) for *n* blocks and names in the image and in the profile, on average.
  package init(
    _ profile: ClusterProfile, executed: Set<StatedAddress>, of release: ReleaseLayout,
    _ map: BlockMap
  ) {
    self.profile = profile
    var places: [Key: Int] = [:]
    for (index, function) in profile.functions.enumerated() {
      for name in function.names { places[Key(unit: function.unit, name: name)] = index }
    }
    let names = SymbolMap(release.layout)
    let units = CompileUnits(release, map)
    let entries = Set(executed.compactMap { map.block(at: $0).map(map.function(of:))?.entry })
    for function in entries.sorted().compactMap(map.function(at:)) {
      let aliases = release.layout.functions[release.layout.functions(at: function.entry)]
        .map { release.layout.name(of: $0) }.sorted()
      let known = units.entries(for: aliases, at: function.entry, in: names).flatMap { entry in
        entry.names.compactMap { places[Key(unit: entry.unit?.bytes, name: $0.bytes)] }
      }
      let blocks = Array(map.blocks(of: function))
      for index in Set(known).sorted() { grow(index, blocks, executed) }
    }
  }

  private mutating func grow(
    _ index: Int, _ blocks: [BlockMap.Block], _ executed: Set<StatedAddress>
  ) {
    var kept = Set(profile.functions[index].clusters.joined())
    func isMissing(_ block: BlockMap.Block) -> Bool {
      executed.contains(block.start) && !kept.contains(block.id)
    }
    guard blocks.contains(where: { isMissing($0) && $0.size > 0 }) else { return }
    let padJoins = blocks.contains { $0.isLandingPad && isMissing($0) }
    for block in blocks where isMissing(block) || padJoins && block.isLandingPad {
      guard kept.insert(block.id).inserted else { continue }
      profile.functions[index].clusters[0].append(block.id)
      addedBlocks += 1
    }
  }
}
