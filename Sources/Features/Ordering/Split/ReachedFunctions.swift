// Which functions did no recorded launch run, and will launches of this build run?
//
// The idea. A block that runs also runs the functions that it calls. If a function was added or edited, its blocks may
// use functions that the recorded code did not use. These functions are *reached*, whether the recorded build has them
// or not.
//
// An example. In the recorded build, `warn` was never called. Now `main` calls it, so `warn` and `print` are reached,
// but not `open`, which only a rare block of `warn` calls:
//
//     main -> warn -> print
//                  -> open      if there is a file
//
// - A function that the recorded code that ran has used, too, is not reached: the recorded launch did not run it.
// - A function that only this build has may run all its blocks. A function that the recorded build has, too, is one that
//   programs call rarely: it is reached only from certain blocks, which run in each launch. These are blocks that ran,
//   and blocks that run whenever their function runs (`CertainBlocks`), if the function itself is reached from a certain
//   block.
// - Taking the address of a function counts as using it.
//
// If a reached function is placed with the code that runs and does not run, its bytes are wasted. If it is placed
// elsewhere and runs, the launch touches another page. So functions that are larger than half a page of 4 KiB are
// *large*: they are placed after all code that ran. For functions that the
// recorded build has, too, the limit is a quarter of a page, because they run more rarely.
//
// A new function may call a function that ran, and so execute blocks of it that no recorded launch executed. Such a
// function is *newly used*, and stays whole unless much of it did not run.

import Addresses
import Demangling
import ImageModel
import InstructionDecoding
import Symbolication

/// The functions that only launches of this build run, because code that runs has begun to use them.
struct ReachedFunctions {
  /// The reached functions by the function that uses them, in the order of the code. First addresses identify functions.
  private(set) var byUser: [StatedAddress: [StatedAddress]] = [:]
  /// The reached functions that only this build has.
  private(set) var new: Set<StatedAddress> = []
  /// The reached functions that are too large to be placed with code that runs, in the order in which they were found.
  private(set) var large: [StatedAddress] = []
  /// The functions that ran in the recorded build and that a new function uses.
  private(set) var newlyUsed: Set<StatedAddress> = []
  private var isSeen: Set<StatedAddress> = []
  private let contents: BlockContents
  private let map: BlockMap
  private let layout: Layout

  /// Code that may use functions.
  private struct Code {
    /// The function to which the code belongs.
    var user: StatedAddress
    var range: AddressRange
    var isCertain: Bool
  }

  init(_ contents: BlockContents, _ map: BlockMap, _ layout: Layout) {
    self.contents = contents
    self.map = map
    self.layout = layout
  }

  /// Adds the functions that `blocks` use, and the functions that these use.
  ///
  /// - Parameters:
  ///   - blocks: blocks of this build that may run, and whether they run for certain.
  ///   - known: the names of the functions that ran in the recorded build, and of the functions that their code used.
  mutating func add(
    usedBy blocks: [(block: BlockMap.Block, isSure: Bool)], besides known: Set<SymbolName>,
    _ recorded: inout MappedRelease
  ) {
    let all = blocks.map {
      Code(user: map.function(of: $0.block).entry, range: $0.block.range, isCertain: $0.isSure)
    }
    let carried = Set(all.map(\.user))
    // What certain code uses is found first, so that each function is found by certain code if any uses it.
    var (queue, uncertain) = (all.filter(\.isCertain), all.filter { !$0.isCertain })
    var place = 0
    while place < queue.count || !uncertain.isEmpty {
      if place == queue.count {
        queue += uncertain
        uncertain = []
      }
      let code = queue[place]
      place += 1
      for entry in contents.functions(usedBy: code.range) {
        if carried.contains(entry), new.contains(code.user) { newlyUsed.insert(entry) }
        guard !isSeen.contains(entry), let function = map.function(at: entry) else { continue }
        let names = layout.functions[layout.functions(at: entry)].map { layout.name(of: $0) }
        guard !names.contains(where: known.contains),
          !names.contains(where: { isOutlined($0.bytes[...]) })
        else { continue }
        let isNew = !names.contains { recorded.hasFunction(named: $0) }
        guard isNew || code.isCertain else { continue }
        isSeen.insert(entry)
        // The blocks of a renamed function are in `blocks`.
        guard !carried.contains(entry) else {
          byUser[code.user, default: []].append(entry)
          continue
        }
        if isNew { new.insert(entry) }
        if map.byteCount(of: function) > Self.mostBytes(isNew: isNew) {
          large.append(entry)
        } else {
          byUser[code.user, default: []].append(entry)
        }
        let certain = CertainBlocks(of: contents.contents(of: function)).isCertain
        for (block, isCertain) in zip(map.blocks(of: function), certain) where isNew || isCertain {
          let next = Code(
            user: entry, range: block.range, isCertain: code.isCertain && isCertain)
          if next.isCertain || !code.isCertain {
            queue.append(next)
          } else {
            uncertain.append(next)
          }
        }
      }
    }
  }

  /// The size of the largest reached functions that are placed with code that runs.
  private static func mostBytes(isNew: Bool) -> UInt64 { isNew ? 2048 : 1024 }
}
