// What launches executed, as code of one build.
//
// A launch of the build itself has addresses in this build. A launch of another build of the same program, such as the
// build before it was split, has blocks. These are found in this build by function and block ID, if the maps of both
// builds show the same blocks for the function. If the function was edited, its blocks are matched by their content
// (`BlockMatching`). If too few of its blocks match, the function has drifted: its recorded blocks show nothing about
// this build.

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
  /// How the functions that launches of other builds ran were found in this build.
  private(set) var findings = BlockFindings()
  /// Whether a launch of another build was left out, because this build has no map.
  private(set) var hasOtherBuilds = false
  private var names: SymbolMap
  private var recordedBuilds: [ImageID: Build] = [:]
  private var contents: BlockContents?
  /// Functions that the recorded builds do not have, by the function that uses them. First addresses identify the
  /// functions.
  private(set) var newFunctions: [StatedAddress: [StatedAddress]] = [:]

  /// A build that was launched.
  private struct Build {
    var release: ReleaseLayout
    var map: BlockMap
    var contents: BlockContents?
    var names: SymbolMap
  }

  /// - Throws: the error in the map of basic blocks.
  init(_ release: ReleaseLayout, names: SymbolMap) throws(Diagnostic) {
    self.release = release
    self.names = names
    map = try release.blockMap()
    contents = map.flatMap(release.blockContents)
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
    var recorded = try build(of: launch.image, recordedBuild)
    var executed: [StatedAddress: Set<UInt32>] = [:]
    for (start, _) in ran {
      guard let block = recorded.map.block(at: start) else { continue }
      executed[recorded.map.function(of: block).entry, default: []].insert(block.id)
    }
    let carried = add(executed, in: recorded, map)
    addNewFunctions(usedBy: carried, besides: &recorded.names)
    // A build keeps the names that were looked up, for all launches of the build.
    if let id = launch.image.id { recordedBuilds[id] = recorded }
  }

  /// Finds the blocks that ran in another build, and adds them.
  ///
  /// - Parameter executed: the IDs of the blocks that ran, by the first addresses of their functions in that build.
  /// - Returns: the added blocks of this build.
  /// - Complexity: O(*b* log *b*) on average for *b* blocks of functions of the same names in both builds.
  private mutating func add(
    _ executed: [StatedAddress: Set<UInt32>], in recorded: Build, _ map: BlockMap
  ) -> [BlockMap.Block] {
    let layout = recorded.release.layout
    var byName: [SymbolName: [BlockMap.Function]] = [:]
    for entry in executed.keys.sorted() {
      guard let function = recorded.map.function(at: entry) else { continue }
      for alias in layout.functions[layout.functions(at: entry)] {
        byName[layout.name(of: alias), default: []].append(function)
      }
    }
    let names = byName.keys.sorted()
    var added: [BlockMap.Block] = []
    var (identified, known) = (Set<StatedAddress>(), Set<StatedAddress>())
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
        findings.add(function.entry, .same)
        added += map.blocks(of: function).filter { ids.contains($0.id) && $0.size > 0 }
      }
      for function in functions where own.ids(of: recorded.map.shape(of: function)) != nil {
        identified.insert(function.entry)
      }
    }
    for name in names {
      let others = byName[name]?.filter { !identified.contains($0.entry) } ?? []
      guard let other = others.first else { continue }
      let edited = functions(named: name, map).filter { !known.contains($0.entry) }
      // If several functions of one name were edited, they can't be told apart.
      if others.count == 1, edited.count == 1,
        let blocks = matching(edited[0], other, ran: executed[other.entry] ?? [], in: recorded, map)
      {
        known.insert(edited[0].entry)
        added += blocks
        continue
      }
      for function in edited {
        guard let drift = map.drift(of: function, from: other, in: recorded.map) else { continue }
        findings.add(function.entry, .drifted(drift))
      }
    }
    for block in added { add(block.range) }
    return added
  }

  /// Adds the new functions that `blocks` use, and the new functions that these use. A function is new if the recorded
  /// build has no function of its names; it is unknown which of its blocks run.
  private mutating func addNewFunctions(
    usedBy blocks: [BlockMap.Block], besides names: inout SymbolMap
  ) {
    guard let contents, let map else { return }
    var users: [(entry: StatedAddress, code: AddressRange)] = blocks.map {
      (map.function(of: $0).entry, $0.range)
    }
    var isSeen: Set<StatedAddress> = []
    while let (user, code) = users.popLast() {
      for entry in contents.functions(usedBy: code) where isSeen.insert(entry).inserted {
        let aliases = release.layout.functions[release.layout.functions(at: entry)]
        guard let function = map.function(at: entry),
          aliases.allSatisfy({ isNew(release.layout.name(of: $0), besides: &names) })
        else { continue }
        newFunctions[user, default: []].append(entry)
        users += map.blocks(of: function).map { (entry, $0.range) }
      }
    }
  }

  /// Whether the recorded build has no function called `name`. `false` for outlined code, whose names differ between
  /// builds.
  private func isNew(_ name: SymbolName, besides names: inout SymbolMap) -> Bool {
    !isOutlined(name.bytes[...]) && names.resolve(name).functions.isEmpty
  }

  /// Returns the blocks of the edited `function` that may run; `nil` if too few of its blocks match blocks of the
  /// recorded build.
  ///
  /// - Parameters:
  ///   - other: the function in the recorded build.
  ///   - ran: the IDs of the blocks of `other` that ran.
  private mutating func matching(
    _ function: BlockMap.Function, _ other: BlockMap.Function, ran: Set<UInt32>,
    in recorded: Build, _ map: BlockMap
  ) -> [BlockMap.Block]? {
    guard let contents, let old = recorded.contents else { return nil }
    let matching = BlockMatching(old.contents(of: other), contents.contents(of: function))
    let blocks = map.blocks(of: function)
    guard Self.leastMatched.isReached(by: matching.matchedCount, of: blocks.count) else {
      return nil
    }
    let mayRun = matching.mayRun(recorded.map.blocks(of: other).map { ran.contains($0.id) })
    findings.add(function.entry, .matched(blocks: matching.matchedCount, of: blocks.count))
    return zip(blocks, mayRun).filter { $1 && $0.size > 0 }.map(\.0)
  }

  /// The share of the blocks of an edited function that must match.
  private static let leastMatched = Share(percent: 50)

  /// Returns the functions of this build with the name, each once.
  private mutating func functions(named name: SymbolName, _ map: BlockMap) -> [BlockMap.Function] {
    let places = Set(names.resolve(name).functions.map { release.layout.functions[$0].address })
    return places.sorted().compactMap(map.function(at:))
  }

  private func build(
    of image: TraceImage, _ recordedBuild: (TraceImage) -> ReleaseLayout?
  ) throws(Diagnostic) -> Build {
    if let id = image.id, let known = recordedBuilds[id] { return known }
    guard let release = recordedBuild(image) else {
      throw Diagnostic(
        "missing the recorded image, whose map of basic blocks is needed to find the blocks that ran",
        context: [image.path], remedies: [.givenAsRecorded("give its new path")],
        severity: .mismatch)
    }
    guard let map = try release.blockMap() else { throw .unsplittable(release.path) }
    return Build(
      release: release, map: map, contents: release.blockContents(map),
      names: SymbolMap(release.layout))
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
