// Which bytes of a function ran, for functions whose basic blocks are in the trace.
//
// In the recorded build the addresses tell. In another build, a block is at the same distance from its
// function's first byte if the function's code is the same; linking in another order does not change that.
// The code counts as the same if the function has the recorded size and if each block that ran is a block of
// that build at the same distance and of the same size. Otherwise the whole function counts.

import Addresses
import FaultEstimate
import ImageModel
import Reporting
import Symbolication

/// The basic blocks of startup functions that ran, as far as two layouts know them.
struct ExecutedBlocks {
  fileprivate struct Side {
    let release: ReleaseLayout
    var blocks: BlockMap?
    /// The error in its map.
    var problem: Diagnostic?
    var wholeFunctions: Set<StatedAddress> = []
  }
  private var before: Side
  private var after: Side
  private var hasMaps = false

  init(before: ReleaseLayout, after: ReleaseLayout) {
    self.before = Side(release: before)
    self.after = Side(release: after)
  }

  private mutating func readMaps() {
    guard !hasMaps else { return }
    hasMaps = true
    before.readMap()
    after.readMap()
  }

  /// Returns what `launch` used, in the order of first uses: blocks where they were recorded, else functions.
  ///
  /// - Parameters:
  ///   - functions: the functions of the two layouts for each of the launch's uses, in the same order.
  ///   - others: code that the launch used and that has no name.
  mutating func inOrder(
    _ launch: RecordedFunctions, _ functions: [StartupFunction],
    besides others: [(step: Int, function: StartupFunction)]
  ) -> [StartupFunction] {
    if launch.uses.contains(where: { !$0.blocks.isEmpty }) { readMaps() }
    var uses = others
    for (use, function) in zip(launch.uses, functions) {
      guard !use.blocks.isEmpty else {
        uses.append((use.step, function))
        continue
      }
      let isKnown = (
        before: before.knows(use, function.before, launch.image),
        after: after.knows(use, function.after, launch.image)
      )
      for executed in use.blocks {
        func parts(_ whole: [Part], _ isKnown: Bool) -> [Part] {
          isKnown ? whole.map { Part($0.function, blocks: [executed.block]) } : whole
        }
        var executedPart = function
        executedPart.before = parts(function.before, isKnown.before)
        executedPart.after = parts(function.after, isKnown.after)
        uses.append((executed.step, executedPart))
      }
    }
    // The order stays stable for blocks of one step, which aliases in a damaged trace have.
    return uses.enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }
      .map { $0.element.function }
  }

  /// The errors in the maps of blocks, and for each layout the number of functions that count whole, if there are any.
  var warnings: [Diagnostic] {
    [before, after].compactMap(\.problem)
      + [before, after].compactMap { side in
        // A damaged map is reported already.
        guard !side.wholeFunctions.isEmpty, side.problem == nil else { return nil }
        let count = counted(side.wholeFunctions.count, "startup function")
        guard side.blocks != nil else {
          return Diagnostic(
            "no basic block address map: \(count) with recorded blocks "
              + "\(side.wholeFunctions.count == 1 ? "counts" : "count") whole",
            context: [side.release.path],
            hint: "give the linked image, compiled with -fbasic-block-address-map")
        }
        return Diagnostic(
          "\(count) \(side.wholeFunctions.count == 1 ? "counts" : "count") whole: "
            + "their basic blocks differ from those of the recorded build",
          context: [side.release.path])
      }
  }
}

extension StartupFunction {
  /// Returns each function of `uses` once, whole, in the order of first uses.
  static func whole(_ uses: [StartupFunction]) -> [StartupFunction] {
    var seen: Set<StartupFunction.Identity> = []
    return uses.map(\.whole).filter { seen.insert($0.identity).inserted }
  }
}

extension ExecutedBlocks.Side {
  fileprivate mutating func readMap() {
    do { blocks = try release.blockMap() } catch { problem = error }
  }

  /// Whether the blocks that ran of a function are those of the functions of `parts`.
  mutating func knows(
    _ use: RecordedFunctions.Use, _ parts: [Part], _ recorded: TraceImage
  ) -> Bool {
    let layout = release.layout
    let isSameBuild =
      recorded.id.map { $0.kind != .weak && $0 == release.image?.id } ?? false
    var areKnown = true
    for part in parts {
      let function = layout.functions[part.function]
      if isSameBuild, function.address == use.address { continue }
      if function.size == use.size, use.blocks.allSatisfy({ hasBlock($0.block, of: function) }) {
        continue
      }
      wholeFunctions.insert(function.address)
      areKnown = false
    }
    return areKnown
  }

  private func hasBlock(_ block: FunctionBlock, of function: Function) -> Bool {
    guard let start = function.address.advanced(by: block.offset) else { return false }
    return blocks?.contains(AddressRange(start: start, size: block.size)) ?? false
  }
}
