/// The content of a basic block, by which the block is found in another build.
///
/// All hashes have the same value in two builds with the same code, wherever the linker has placed the code and the
/// data that it uses. A hash is `nil` if the content is unknown.
package struct BlockContent: Hashable, Sendable {
  /// A hash of the instructions and of the names of the called functions, without addresses, and without the jumps at
  /// the end of the block: these depend on the place of the next block.
  package var code: UInt64?
  /// A hash of the kinds of the instructions, without registers and constants, and without the jumps at the end.
  package var opcodes: UInt64?
  /// A hash of the names of the called functions; `nil` also if the block calls no function.
  package var calls: UInt64?
  /// The number by which the compiler identifies the block in its function. Compilers number blocks roughly in the order
  /// of the source, however the code is ordered later.
  package var id: UInt32
  package var isLandingPad: Bool
  /// The blocks of the function at which control may continue, as indexes into the function's blocks. Exceptions and
  /// the targets of jumps through a register are not included.
  package var successors: [Int]
  /// Whether the block ends with a jump through a register or a table, so that other blocks may follow, too.
  package var jumpsIndirectly: Bool
  /// Whether the function ends after the block: the block returns, or jumps to another function.
  package var returns: Bool

  package init(
    code: UInt64? = nil, opcodes: UInt64? = nil, calls: UInt64? = nil, id: UInt32 = 0,
    isLandingPad: Bool = false, successors: [Int] = [], jumpsIndirectly: Bool = false,
    returns: Bool = false
  ) {
    self.code = code
    self.opcodes = opcodes
    self.calls = calls
    self.id = id
    self.isLandingPad = isLandingPad
    self.successors = successors
    self.jumpsIndirectly = jumpsIndirectly
    self.returns = returns
  }
}

/// FNV-1a over 64-bit words: a hash that is the same in each process.
package struct ContentHash: Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func combine(_ word: UInt64) {
    value = (value ^ word) &* 0x100_0000_01b3
    // The multiplication never moves high bits down.
    value ^= value >> 29
  }
}
