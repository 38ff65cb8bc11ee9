// AArch64 instructions are words. Their kinds, and the fields with addresses, are in fixed bits:
// <https://developer.arm.com/documentation/ddi0602>. ADRP states a page, and the instruction that uses the register
// adds the place in the page, so this place is an address, too.

import Addresses
import ImageModel

/// Decodes the AArch64 instructions of a run of code, one after the other.
struct AArch64Decoder {
  private let code: [UInt8]
  private let address: StatedAddress
  private var index = 0
  /// The registers that contain a page of ADRP.
  private var pages: Set<UInt32> = []

  init(_ code: [UInt8], at address: StatedAddress) {
    self.code = code
    self.address = address
  }

  var isAtEnd: Bool { index >= code.count }

  /// The next instruction; `nil` if less than a word is left.
  mutating func next() -> DecodedInstruction? {
    guard index + 4 <= code.count else { return nil }
    let word = (0..<4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32(code[index + $1]) }
    let site = address.rawValue &+ UInt64(index)
    index += 4
    func target(_ field: UInt32, bits: UInt32) -> StatedAddress {
      let sign = UInt32(1) << (bits - 1)
      let distance = (Int64(field ^ sign) - Int64(sign)) * 4
      return StatedAddress(rawValue: site &+ UInt64(bitPattern: distance))
    }
    var found = DecodedInstruction(size: 4, opcode: UInt64(word >> 22), code: 0)
    var masked: UInt32 = 0
    switch word {
    case 0xd503_201f: found.kind = .padding
    case _ where word & 0x7c00_0000 == 0x1400_0000:  // B, BL
      (found.kind, masked) = (word >> 31 == 1 ? .call : .jump, 0x03ff_ffff)
      found.target = target(word & 0x03ff_ffff, bits: 26)
      found.opcode = UInt64(word >> 26)
    case _ where word & 0xff00_0000 == 0x5400_0000, _ where word & 0x7e00_0000 == 0x3400_0000:
      // B.cond, CBZ
      (found.kind, masked) = (.conditionalJump, 0x00ff_ffe0)
      found.target = target(word >> 5 & 0x7ffff, bits: 19)
      found.opcode = UInt64(word >> 24)
    case _ where word & 0x7e00_0000 == 0x3600_0000:  // TBZ
      (found.kind, masked) = (.conditionalJump, 0x0007_ffe0)
      found.target = target(word >> 5 & 0x3fff, bits: 14)
      found.opcode = UInt64(word >> 24)
    case _ where word & 0xfe00_0000 == 0xd600_0000:  // BR, BLR, RET
      found.kind =
        switch word >> 21 & 3 {
        case 0: .indirectJump
        case 1: .indirectCall
        default: .return
        }
    case _ where word & 0xffe0_0000 == 0xd420_0000, _ where word >> 16 == 0:  // BRK, UDF
      found.kind = .trap
    case _ where word & 0x1f00_0000 == 0x1000_0000:  // ADR, ADRP
      masked = 0x60ff_ffe0
      found.opcode = UInt64(word >> 24 & 0x9f)
      if word >> 31 == 1 { pages.insert(word & 31) }
    case _ where word & 0x3b00_0000 == 0x1800_0000:  // LDR of a literal
      masked = 0x00ff_ffe0
      found.opcode = UInt64(word >> 24)
    case _ where word & 0x7f80_0000 == 0x1100_0000, _ where word & 0x3b00_0000 == 0x3900_0000:
      // ADD of a constant; a load or store with a constant offset.
      if pages.contains(word >> 5 & 31) { masked = 0x003f_fc00 }
    default: break
    }
    var hash = ContentHash()
    hash.combine(UInt64(word & ~masked) << 32 | UInt64(masked))
    found.code = hash.value
    return found
  }
}
