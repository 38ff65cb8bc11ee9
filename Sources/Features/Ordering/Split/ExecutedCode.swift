// What launches executed, as code of one build.
//
// A launch of the build itself has addresses in this build. A launch of another build of the same program, such as the
// build before it was split, has blocks. These are found in this build by function and block ID, if the maps of both
// builds show the same blocks for the function. A function whose blocks differ has drifted: its recorded blocks show
// nothing about this build.

import Addresses
import CommandSupport
import ImageModel
import Symbolication

/// The basic blocks of a build that launches ran.
struct ExecutedCode {
  /// The build whose code is split.
  let release: ReleaseLayout
  /// The map of basic blocks of the build; `nil` if it has none.
  let map: BlockMap?
  private var executedStarts: Set<StatedAddress> = []
  private var executedRanges: Set<AddressRange> = []
  /// The first addresses of functions that launches of other builds ran.
  private var known: Set<StatedAddress> = []
  /// Functions that were recorded in other builds, where they have other blocks; by their first address.
  private(set) var driftByEntry: [StatedAddress: BlockDifference] = [:]
  /// Whether a launch of another build was left out, because this build has no map.
  private(set) var hasOtherBuilds = false
  private var names: SymbolMap
  private var recordedBuilds: [ImageID: (release: ReleaseLayout, map: BlockMap)] = [:]

  /// - Throws: the error in the map of basic blocks.
  init(_ release: ReleaseLayout, names: SymbolMap) throws(Diagnostic) {
    self.release = release
    self.names = names
    map = try release.blockMap()
  }

  /// Whether the code that begins at `address` ran.
  func ran(at address: StatedAddress) -> Bool { executedStarts.contains(address) }

  /// The ranges of code that ran, ascending by address.
  var ranges: [AddressRange] {
    executedRanges.sorted { ($0.start, $0.size) < ($1.start, $1.size) }
  }

  /// Whether no launch ran a block that was found in this build.
  var isEmpty: Bool { executedRanges.isEmpty }

  private mutating func add(_ range: AddressRange) {
    executedStarts.insert(range.start)
    executedRanges.insert(range)
  }

  /// Adds the blocks that a launch ran.
  ///
  /// - Parameter recordedBuild: reads the build that was launched, if it is not `release`; `nil` if it is gone.
  /// - Throws: an error if another build was launched and its blocks are unknown.
  mutating func append(
    _ launch: RecordedFunctions, recordedBuild: (TraceImage) -> ReleaseLayout?
  ) throws(Diagnostic) {
    let ran = launch.uses.flatMap { use in
      use.blocks.compactMap { executed in
        use.address.advanced(by: executed.block.offset).map { ($0, executed.block.size) }
      }
    }
    guard !ran.isEmpty else { return }
    guard !release.isImage(launch.image) else {
      for (start, size) in ran { add(AddressRange(start: start, size: size)) }
      return
    }
    guard let map else {
      hasOtherBuilds = true
      return
    }
    let recorded = try build(of: launch.image, recordedBuild)
    var executed: [StatedAddress: Set<UInt32>] = [:]
    for (start, _) in ran {
      guard let block = recorded.map.block(at: start) else { continue }
      executed[recorded.map.function(of: block).entry, default: []].insert(block.id)
    }
    add(executed, in: recorded, map)
  }

  /// Adds blocks that ran in another build. `executed` has their IDs, by the first addresses of their functions.
  ///
  /// - Complexity: O(*b* log *b*) on average for *b* blocks of functions of the same names in both builds.
  private mutating func add(
    _ executed: [StatedAddress: Set<UInt32>],
    in recorded: (release: ReleaseLayout, map: BlockMap), _ map: BlockMap
  ) {
    let layout = recorded.release.layout
    var byName: [SymbolName: [BlockMap.Function]] = [:]
    for entry in executed.keys.sorted() {
      guard let function = recorded.map.function(at: entry) else { continue }
      for alias in layout.functions[layout.functions(at: entry)] {
        byName[layout.name(of: alias), default: []].append(function)
      }
    }
    let names = byName.keys.sorted()
    var identified: Set<StatedAddress> = []
    for name in names {
      var (ran, own) = (MatchedBlocks(), MatchedBlocks())
      let functions = byName[name] ?? []
      for function in functions {
        ran.add(recorded.map.shape(of: function), ids: executed[function.entry] ?? [])
      }
      for function in self.functions(named: name, map) {
        let shape = map.shape(of: function)
        own.add(shape, ids: [])
        guard let ids = ran.ids(of: shape) else { continue }
        known.insert(function.entry)
        for block in map.blocks(of: function) where ids.contains(block.id) && block.size > 0 {
          add(block.range)
        }
      }
      for function in functions where own.ids(of: recorded.map.shape(of: function)) != nil {
        identified.insert(function.entry)
      }
    }
    for name in names {
      guard let other = byName[name]?.first(where: { !identified.contains($0.entry) }) else {
        continue
      }
      // A recorded function of this name matches no function of this build, so all functions of this name that match
      // nothing have drifted.
      for function in functions(named: name, map) where !known.contains(function.entry) {
        driftByEntry[function.entry] = map.drift(of: function, from: other, in: recorded.map)
      }
    }
  }

  /// Returns the functions of this build with the name, each once.
  private mutating func functions(named name: SymbolName, _ map: BlockMap) -> [BlockMap.Function] {
    let places = Set(names.resolve(name).functions.map { release.layout.functions[$0].address })
    return places.sorted().compactMap(map.function(at:))
  }

  private mutating func build(
    of image: TraceImage, _ recordedBuild: (TraceImage) -> ReleaseLayout?
  ) throws(Diagnostic) -> (release: ReleaseLayout, map: BlockMap) {
    if let id = image.id, let known = recordedBuilds[id] { return known }
    guard let release = recordedBuild(image) else {
      throw Diagnostic(
        "missing the recorded image, whose map of basic blocks is needed to find the blocks that ran",
        context: [image.path], remedies: [.givenAsRecorded("give its new path")],
        severity: .mismatch)
    }
    guard let map = try release.blockMap() else { throw .unsplittable(release.path) }
    if let id = image.id { recordedBuilds[id] = (release, map) }
    return (release, map)
  }
}

extension Diagnostic {
  /// `--split-profile` was given, and the image has no map of its basic blocks.
  package static func unsplittable(_ path: String) -> Diagnostic {
    Diagnostic(
      "missing basic block address map: functions can't be split without the map", context: [path],
      hint:
        "compile with -fbasic-block-address-map (clang 19 or later), and record the new build with "
        + "'orderfile record --breakpoints --blocks'", severity: .mismatch)
  }
}
