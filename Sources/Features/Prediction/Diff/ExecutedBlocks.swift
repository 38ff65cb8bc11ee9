// Which bytes of a function ran, for functions whose basic blocks are in the trace.
//
// In the recorded build, addresses identify the bytes. In another build, blocks have other addresses, and other sizes
// if a compiler split their functions. There, blocks are found by function and block ID, if the maps of both builds
// show the same blocks (`BlockDifference`). For an image without a map, recorded by an emulator, only the size of the
// function can be compared. Otherwise the whole function counts.
//
// If a compiler has split a function, its further parts are code with names of their own. A recorded block in such a
// part belongs to the function, whose name the other build has.

import Addresses
import CommandSupport
import FaultEstimate
import ImageModel
import Rendering
import TraceSymbolication

/// The basic blocks of startup functions that ran, where the layouts have them.
struct ExecutedBlocks {
  /// The map of blocks, and the blocks found so far, of each layout.
  private var sides: [Side]
  private var hasMaps = false
  /// Reads the image that a trace was recorded in, if no layout is of this image; `nil` if the image is gone.
  private let recordedBuild: (TraceImage) -> ReleaseLayout?
  private var builds: [ImageID: ReleaseLayout] = [:]
  private var maps: [ImageID: BlockMap] = [:]
  /// The functions whose blocks in the last layout differ from the recorded build, earliest first use first; `nil` if
  /// maps are missing.
  private(set) var drifted: [NameWithReason]?
  private var isCompared: Set<Compared> = []

  init(
    of layouts: PredictedLayouts,
    recordedBuild: @escaping (TraceImage) -> ReleaseLayout? = { _ in nil }
  ) {
    sides = layouts.all.map { Side(release: $0) }
    self.recordedBuild = recordedBuild
  }

  /// Reads the maps of the layouts and of the recorded image, once.
  private mutating func readMaps(for image: TraceImage) {
    if !hasMaps {
      hasMaps = true
      for place in sides.indices { sides[place].readMap() }
    }
    guard let id = image.id, id.kind != .weak, builds[id] == nil else { return }
    let known = sides.first { $0.release.isImage(image) }
    guard let build = known?.release ?? recordedBuild(image) else { return }
    builds[id] = build
    maps[id] = known?.blocks ?? (try? build.blockMap()) ?? nil
  }

  /// Returns `use` as a use of the function that its code belongs to: the further parts of a split function have other
  /// names.
  mutating func owner(
    of use: RecordedFunctions.Use, in image: TraceImage
  ) -> RecordedFunctions.Use {
    guard let block = use.blocks.first else { return use }
    readMaps(for: image)
    guard let id = image.id, let map = maps[id], let layout = builds[id]?.layout,
      let found = use.address.advanced(by: block.block.offset).flatMap(map.block(at:)),
      case let entry = map.function(of: found).entry, entry != use.address
    else { return use }
    let aliases = layout.functions[layout.functions(at: entry)]
    guard !aliases.isEmpty, layout.functions(at: entry) != layout.functions(containing: found.start)
    else { return use }
    var owner = use
    owner.names = aliases.map { layout.name(of: $0) }.sorted()
    owner.size = aliases.compactMap(\.size).max()
    return owner
  }

  /// Returns the uses of `launch` in the order of first uses: blocks if they were recorded, else functions.
  ///
  /// - Parameters:
  ///   - functions: the functions of the layouts for each of the launch's uses, in the same order.
  ///   - others: used code without a name.
  mutating func inOrder(
    _ launch: RecordedFunctions, _ functions: [MatchedFunction],
    besides others: [(step: Int, function: MatchedFunction)]
  ) -> [MatchedFunction] {
    if launch.uses.contains(where: { !$0.blocks.isEmpty }) { readMaps(for: launch.image) }
    let map = launch.image.id.flatMap { maps[$0] }
    var uses = others
    for (use, function) in zip(launch.uses, functions) {
      guard !use.blocks.isEmpty else {
        uses.append((use.step, function))
        continue
      }
      let places = sides.indices.map {
        sides[$0].places(of: use, function.matches[$0].parts, launch.image, map)
      }
      if let map { noteDrift(of: use, function, launch.image, map) }
      for (index, executed) in use.blocks.enumerated() {
        var executedPart = function
        for (place, parts) in places.enumerated() {
          if let parts { executedPart.matches[place].parts = parts[index] }
        }
        uses.append((executed.step, executedPart))
      }
    }
    // The order stays stable for blocks of one step, which aliases in a damaged trace have.
    return uses.enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }
      .map { $0.element.function }
  }

  private mutating func noteDrift(
    of use: RecordedFunctions.Use, _ function: MatchedFunction, _ image: TraceImage,
    _ map: BlockMap
  ) {
    guard let last = sides.last, let own = last.blocks, let match = function.matches.last else {
      return
    }
    var found = drifted ?? []
    defer { drifted = found }
    guard !last.release.isImage(image), let name = function.name,
      let block = use.blocks.first.flatMap({ use.address.advanced(by: $0.block.offset) })
        .flatMap(map.block(at:)), case let recorded = map.function(of: block),
      isCompared.insert(Compared(image: image.id, entry: recorded.entry)).inserted
    else { return }
    let differences = match.parts.compactMap { part in
      own.function(at: last.release.layout.functions[part.function].address)
    }.map { own.drift(of: $0, from: recorded, in: map) }
    if let first = differences.first, let difference = first, !differences.contains(nil) {
      found.append(NameWithReason(name: name, reason: difference.description))
    }
  }

  private struct Compared: Hashable {
    var image: ImageID?
    var entry: StatedAddress
  }

  /// The errors in the maps of blocks, and for each layout the number of functions that count whole, if any do.
  var warnings: [Diagnostic] {
    sides.compactMap(\.problem)
      + sides.compactMap { side in
        // A layout with a damaged map already has a warning.
        guard !side.wholeFunctions.isEmpty, side.problem == nil else { return nil }
        let count = counted(side.wholeFunctions.count, "startup function")
        guard side.blocks != nil else {
          return Diagnostic(
            "no basic block address map: all bytes of \(count) count, not only the recorded blocks",
            context: [side.release.path],
            hint: "give the linked image, compiled with -fbasic-block-address-map")
        }
        guard !side.lacksRecorded else {
          return Diagnostic(
            "all bytes of \(count) count, not only the recorded blocks: the recorded image with its map of basic blocks is missing",
            context: [side.release.path], remedies: [.givenAsRecorded("give the recorded image")])
        }
        return Diagnostic(
          "all bytes of \(count) count, not only the recorded blocks: "
            + "basic blocks differ from the recorded build's",
          context: [side.release.path], hint: "record a build of the same sources again")
      }
  }
}

extension MatchedFunction {
  /// Returns one use of each function of `uses`, in the order of first uses.
  static func first(of uses: [MatchedFunction]) -> [MatchedFunction] {
    var seen: Set<MatchedFunction.FunctionIdentity> = []
    return uses.filter { seen.insert($0.functionIdentity).inserted }
  }
}

/// The map of blocks of one layout, and the blocks found in it.
private struct Side {
  let release: ReleaseLayout
  var blocks: BlockMap?
  /// The error in the layout's map of blocks.
  var problem: Diagnostic?
  var wholeFunctions: Set<StatedAddress> = []
  /// Whether the recorded image's map of blocks is unknown.
  var lacksRecorded = false

  init(release: ReleaseLayout) { self.release = release }

  mutating func readMap() {
    do { blocks = try release.blockMap() } catch { problem = error }
  }

  /// Returns, for each block of `use`, the matching parts of this layout; `nil` if they are unknown, so that the
  /// functions of `parts` count whole.
  ///
  /// - Parameter map: the map of blocks of the recorded image.
  mutating func places(
    of use: RecordedFunctions.Use, _ parts: [Part], _ recorded: TraceImage, _ map: BlockMap?
  ) -> [[Part]]? {
    guard !parts.isEmpty else { return nil }
    let layout = release.layout
    let ran = use.blocks.map { use.address.advanced(by: $0.block.offset) }
    if release.isImage(recorded) {
      return zip(use.blocks, ran).map { executed, start in
        start.map { place($0, size: executed.block.size, of: parts) } ?? parts
      }
    }
    var places = use.blocks.map { _ in [Part]() }
    var others: [StatedAddress] = []
    for part in parts {
      let entry = layout.functions[part.function].address
      if recorded.hasExecutedRuns, layout.functions[part.function].size == use.size {
        for (index, executed) in use.blocks.enumerated() {
          places[index].append(Part(part.function, blocks: [executed.block]))
        }
        continue
      }
      guard let map, let found = blocks(of: entry, that: ran, in: map) else {
        others.append(entry)
        continue
      }
      for (index, block) in found.enumerated() {
        places[index] += place(block.start, size: UInt64(block.size), of: [part])
      }
    }
    // If several functions have that name, the functions with other blocks are not the one that ran.
    guard others.count == parts.count else { return places }
    wholeFunctions.formUnion(others)
    lacksRecorded = lacksRecorded || map == nil && blocks != nil
    return nil
  }

  /// Returns the blocks of the function at `entry` that match the blocks at the addresses `ran` of another build; `nil`
  /// unless all are known.
  private func blocks(
    of entry: StatedAddress, that ran: [StatedAddress?], in map: BlockMap
  ) -> [BlockMap.Block]? {
    guard let own = blocks, let function = own.function(at: entry),
      let first = ran.first.flatMap({ $0 }).flatMap(map.block(at:)),
      case let recorded = map.function(of: first),
      own.difference(of: function, from: recorded, in: map) == nil
    else { return nil }
    let byID = own.blocksByID(of: function)
    var found: [BlockMap.Block] = []
    for address in ran {
      guard let block = address.flatMap(map.block(at:)), map.function(of: block) == recorded,
        let same = byID[block.id]
      else { return nil }
      found.append(same)
    }
    return found
  }

  /// Returns the code of `size` bytes at `address`, as parts of the functions that contain it. If functions of `parts`
  /// contain it, only these are returned.
  private func place(_ address: StatedAddress, size: UInt64, of parts: [Part]) -> [Part] {
    let layout = release.layout
    let containing = layout.functions(containing: address)
    let inside = parts.map(\.function).filter(containing.contains)
    let functions = inside.isEmpty ? Array(containing.prefix(1)) : inside
    return functions.map { function in
      let offset = address.rawValue - layout.functions[function].address.rawValue
      return Part(function, blocks: [FunctionBlock(offset: offset, size: size)])
    }
  }
}
