// Gaps that are too short to be split off.
//
// Code that did not run may be between code that did. If it is placed elsewhere, it needs a jump to it and a jump back,
// and both jumps are long: on x86-64 four and five bytes more, on AArch64 at least four. So splitting off a few bytes
// saves nothing for the launches that were recorded, makes the program larger, and makes all other launches, which run
// some of this code, need more pages. The sqlite3 shell, trained on one script, has 3,681 such gaps, a third of them
// shorter than 16 bytes. Executed pages of 4 / 16 KiB, simulated, mean of all places in a page where the code may
// begin:
//
//     kept gaps       recorded launch     another launch
//     none            58.5 / 15.4         196.8 / 62.4
//     below 8 bytes   58.8 / 15.4         197.2 / 62.2
//     below 16        60.0 / 15.8         193.8 / 61.6
//     below 32        64.0 / 16.8         191.8 / 61.4
//     functions whole 146.2 / 38.0        205.0 / 60.9

import Addresses
import ImageModel

/// A gap between code that ran.
enum SplitGap {
  /// The size in bytes from which a gap is split off.
  static let limit: UInt64 = 16

  /// Whether the gap from `start` up to `end` is too short to be split off.
  static func isShort(from start: StatedAddress, to end: StatedAddress) -> Bool {
    start <= end && end.rawValue - start.rawValue < limit
  }

  /// Returns `executed`, the executed blocks of a function of `size` bytes, with the short gaps after each of them;
  /// ascending, without overlap.
  ///
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  static func filled(_ executed: [FunctionBlock], upTo size: UInt64) -> [FunctionBlock] {
    var runs: [FunctionBlock] = []
    var end: UInt64 = 0
    for block in executed.sorted() {
      let (sum, overflow) = block.offset.addingReportingOverflow(block.size)
      let blockEnd = overflow ? .max : sum
      if let last = runs.last, block.offset <= end || block.offset - end < limit {
        end = max(end, blockEnd)
        runs[runs.count - 1].size = end - last.offset
      } else {
        runs.append(block)
        end = blockEnd
      }
    }
    if let last = runs.last, end < size, size - end < limit {
      runs[runs.count - 1].size = size - last.offset
    }
    return runs
  }
}
