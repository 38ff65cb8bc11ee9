// A program may copy code and run the copy. The copy holds the breakpoints that the code had, at addresses that nobody
// knows. The bytes behind such a breakpoint tell which one was copied, and so the instruction that it replaced. Among
// the bytes there may be further breakpoints, in the copy, in the code, or in both.

import Addresses
import CPtrace

/// The code behind a breakpoint at an unknown address, and what was found to be the same.
struct CodeCopy {
  /// The number of bytes that are compared at most.
  static let size = 32

  private let following: [UInt8]
  private var matched = 0
  /// The instructions at the breakpoints with `matched` equal bytes.
  private var instructions: Set<UInt32> = []

  init(_ following: [UInt8]) { self.following = following }

  /// Looks for breakpoints of `set` that have the same code behind them.
  ///
  /// - Complexity: O(*n*) for *n* breakpoints.
  mutating func compare(_ set: BreakpointSet, _ memory: ProcessMemory) {
    var text = TextPages(of: set.mapping, memory)
    for index in set.breakpoints.indices {
      let count = Self.equalBytes(following, set, index, &text)
      if count > matched {
        matched = count
        instructions = []
      }
      if count == matched, count > 0 { instructions.insert(set.breakpoints[index].saved) }
    }
  }

  /// The instruction that the breakpoint replaced; `nil` if fewer than `least` bytes are equal, or if several
  /// instructions are possible.
  func saved(least: Int) -> UInt32? {
    matched >= least && instructions.count == 1 ? instructions.min() : nil
  }

  /// The number of bytes in `following` that are equal to those behind a breakpoint, except for breakpoints.
  private static func equalBytes(
    _ following: [UInt8], _ set: BreakpointSet, _ index: Int, _ text: inout TextPages
  ) -> Int {
    let trap = PlantedBreakpoint.instruction
    let breakpoints = set.breakpoints
    let address = breakpoints[index].address
    let start = text.index(of: address) + trap.count
    var next = index + 1
    var equal = 0
    for (offset, byte) in following.enumerated() {
      guard start + offset < text.bytes.count else { break }
      var original = text.bytes[start + offset]
      let place = address - breakpoints[0].address + UInt64(trap.count + offset)
      func distance() -> UInt64? {
        let other = breakpoints[next].address - breakpoints[0].address
        return place >= other ? place - other : nil
      }
      while next < breakpoints.count, let past = distance(), past >= trap.count { next += 1 }
      if next < breakpoints.count, let past = distance() {
        original = BreakpointSet.bytes(of: breakpoints[next].saved)[Int(past)]
        if byte == trap[Int(past)], byte != original { continue }
      }
      guard byte == original else { break }
      if byte != trap[0] { equal += 1 }
    }
    return equal
  }

  /// The first bytes of `following` by which candidates are found.
  private static let beginning = 4

  /// The bytes behind breakpoints of `set`, without those that hold a breakpoint.
  static func beginnings(_ set: BreakpointSet, _ memory: ProcessMemory) -> Set<[UInt8]> {
    let size = PlantedBreakpoint.instruction.count
    var text = TextPages(of: set.mapping, memory)
    var found = Set<[UInt8]>()
    for index in set.breakpoints.indices {
      let start = text.index(of: set.breakpoints[index].address) + size
      if index + 1 < set.breakpoints.count,
        set.breakpoints[index + 1].address - set.breakpoints[index].address
          < UInt64(size + beginning)
      {
        continue
      }
      if start + beginning <= text.bytes.count {
        found.insert(Array(text.bytes[start..<start + beginning]))
      }
    }
    return found
  }

  /// The indexes in `bytes` of breakpoints with one of `beginnings` behind them.
  static func candidates(
    in bytes: [UInt8], _ trap: [UInt8], _ beginnings: Set<[UInt8]>
  ) -> [Int] {
    let size = trap.count + beginning
    guard bytes.count >= size else { return [] }
    return (0...bytes.count - size).filter { at in
      bytes[at] == trap[0] && bytes[at..<at + trap.count].elementsEqual(trap)
        && beginnings.contains(Array(bytes[at + trap.count..<at + size]))
    }
  }
}
