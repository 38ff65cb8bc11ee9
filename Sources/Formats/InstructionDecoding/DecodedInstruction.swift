import Addresses

/// An instruction without its effect: its kind, its size, and hashes that do not change if the linker puts code or data
/// elsewhere. `BlockContent` needs no more.
package struct DecodedInstruction: Hashable {
  package enum Kind: Hashable {
    case plain
    /// Code without effect, by which the compiler aligns blocks.
    case padding
    case call
    case indirectCall
    case jump
    case conditionalJump
    case indirectJump
    case `return`
    /// An instruction that always traps.
    case trap
  }

  package var kind = Kind.plain
  /// The size of the instruction in bytes, at least 1.
  package var size: Int
  /// The instruction without its registers, constants and addresses.
  package var opcode: UInt64
  /// The target of a direct call or jump, or the address that the instruction computes from its own address.
  package var target: StatedAddress?
  /// A hash of the instruction without addresses.
  package var code: UInt64

  /// Whether a jump of this kind at the end of a block depends on which block is next.
  var isJump: Bool { kind == .jump || kind == .conditionalJump }
}

/// Decodes instructions of one instruction set.
package enum InstructionSet {
  case x8664
  case aarch64

  /// Calls `body` with each instruction of a block.
  ///
  /// - Parameters:
  ///   - code: the bytes of the block.
  ///   - address: the address of its first byte.
  ///   - absolute: the addresses of an image that is loaded at its stated addresses. Constants in this range count as
  ///     addresses.
  /// - Returns: `false` if an instruction is unknown; `body` has then been called for the instructions before it.
  package func forEachInstruction(
    in code: [UInt8], at address: StatedAddress, absolute: AddressRange?,
    _ body: (DecodedInstruction) -> Void
  ) -> Bool {
    switch self {
    case .x8664:
      var decoder = X8664Decoder(code, at: address, absolute: absolute)
      while !decoder.isAtEnd {
        guard let instruction = decoder.next() else { return false }
        body(instruction)
      }
      return true
    case .aarch64:
      var decoder = AArch64Decoder(code, at: address)
      while let instruction = decoder.next() { body(instruction) }
      return decoder.isAtEnd
    }
  }
}
