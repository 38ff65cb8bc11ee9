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
import InstructionDecoding
import Symbolication
import TraceSymbolication

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
  /// The build, and the builds that were launched; `build` is `nil` if the build has no map.
  private var build: MappedRelease?
  private var recordedBuilds: [ImageID: MappedRelease] = [:]
  /// The functions that only launches of this build run; `nil` if the image has no map or is no ELF file.
  private(set) var reached: ReachedFunctions?

  /// - Throws: the error in the map of basic blocks.
  init(_ release: ReleaseLayout, names: SymbolMap) throws(Diagnostic) {
    self.release = release
    map = try release.blockMap()
    build = map.map { MappedRelease(release, $0, names) }
    reached = build.flatMap { build in
      build.contents.map { ReachedFunctions($0, build.map, release.layout) }
    }
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
    guard var build else {
      hasOtherBuilds = true
      return
    }
    var recorded = try self.recordedBuild(of: launch.image, recordedBuild)
    var executed: [StatedAddress: Set<UInt32>] = [:]
    for (start, _) in ran {
      guard let block = recorded.map.block(at: start) else { continue }
      executed[recorded.map.function(of: block).entry, default: []].insert(block.id)
    }
    let carried = add(FunctionPairs(executed, &build, &recorded), executed, build, recorded)
    let known = namesUsed(by: executed, in: recorded)
    reached?.add(usedBy: carried, besides: known, &recorded)
    self.build = build
    // A build keeps the names that were looked up, for all launches of the build.
    if let id = launch.image.id { recordedBuilds[id] = recorded }
  }

  /// Adds the blocks that ran in another build.
  ///
  /// - Returns: the blocks of this build that may run, and whether they run for certain: the added blocks, and all
  ///   blocks of the functions that stay whole.
  private mutating func add(
    _ pairs: FunctionPairs, _ executed: [StatedAddress: Set<UInt32>], _ build: MappedRelease,
    _ recorded: MappedRelease
  ) -> [(block: BlockMap.Block, isSure: Bool)] {
    var added: [(block: BlockMap.Block, isSure: Bool)] = []
    for (function, ids) in pairs.same {
      findings.add(function.entry, .same)
      for block in build.map.blocks(of: function) where ids.contains(block.id) && block.size > 0 {
        added.append((block, true))
      }
    }
    for pair in pairs.edited {
      let ran = executed[pair.recorded.entry] ?? []
      let running = RunningBlocks(
        pair.blocks, ran: recorded.map.blocks(of: pair.recorded).map { ran.contains($0.id) })
      let blocks = build.map.blocks(of: pair.function)
      findings.add(
        pair.function.entry,
        .matched(
          blocks: pair.blocks.matchedCount, of: blocks.count, isRenamed: pair.isRenamed))
      for (index, block) in blocks.enumerated() where running.mayRun[index] && block.size > 0 {
        added.append((block, running.isSure[index]))
      }
    }
    for (block, _) in added { add(block.range) }
    for (function, difference, isRenamed) in pairs.drifted {
      findings.add(function.entry, .drifted(difference, isRenamed: isRenamed))
      guard let contents = build.contents else { continue }
      // Nothing shows which blocks of the function run, but it still uses functions.
      let certain = CertainBlocks(of: contents.contents(of: function)).isCertain
      added += zip(build.map.blocks(of: function), certain).map { ($0, $1) }
    }
    return added
  }

  /// Returns the names of the functions that ran in another build, and of the functions that their code used.
  ///
  /// - Parameter executed: the IDs of the blocks that ran, by the first addresses of their functions.
  private func namesUsed(
    by executed: [StatedAddress: Set<UInt32>], in recorded: MappedRelease
  ) -> Set<SymbolName> {
    var used = Set(executed.keys)
    for (entry, ids) in executed {
      guard let function = recorded.map.function(at: entry) else { continue }
      for block in recorded.map.blocks(of: function) where ids.contains(block.id) {
        used.formUnion(recorded.contents?.functions(usedBy: block.range) ?? [])
      }
    }
    return Set(used.flatMap(recorded.names))
  }

  private func recordedBuild(
    of image: TraceImage, _ recordedBuild: (TraceImage) -> ReleaseLayout?
  ) throws(Diagnostic) -> MappedRelease {
    if let id = image.id, let known = recordedBuilds[id] { return known }
    guard let release = recordedBuild(image) else {
      throw Diagnostic(
        "missing the recorded image, whose map of basic blocks is needed to find the blocks that ran",
        context: [image.path], remedies: [.givenAsRecorded("give its new path")],
        severity: .mismatch)
    }
    guard let map = try release.blockMap() else { throw .unsplittable(release.path) }
    return MappedRelease(release, map, SymbolMap(release.layout))
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
