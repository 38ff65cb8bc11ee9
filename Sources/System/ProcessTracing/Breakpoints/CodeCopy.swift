// A program may copy code and run the copy. The copy contains the breakpoints of the code, at
// addresses that the tracer does not know. The bytes after a copied breakpoint identify the
// original breakpoint, and so the instruction that it replaced. These bytes may contain further
// breakpoints, in the copy, in the original code, or in both.

import Addresses
import CPtrace

/// The code after a breakpoint at an unknown address, and the planted breakpoints with the same
/// code after them.
struct CodeCopy {
  /// The maximum number of bytes that are compared.
  static let size = 32

  private let following: [UInt8]
  private var matched = 0
  /// The instructions that the breakpoints with `matched` equal bytes have replaced.
  private var instructions: Set<UInt32> = []

  init(_ following: [UInt8]) { self.following = following }

  /// Looks for breakpoints of `set` with the same code after them.
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

  /// Returns the number of bytes of `following` that are equal to the bytes after a breakpoint.
  /// Bytes of breakpoints do not count.
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

  /// The number of bytes after a breakpoint by which candidates are found.
  private static let beginning = 4

  /// Returns the first bytes after each breakpoint of `set`, unless another breakpoint is among these bytes.
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

  /// Returns the indexes in `bytes` of breakpoints that one of `beginnings` follows.
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
