// PC-relative references of instructions, found without decoding the instructions
//
// Decoding x86-64 needs a table of a thousand opcodes. Instead, this code looks for byte patterns at every
// position:
//
//     e8 rel32                     call            0f 80+cc rel32    jump on a condition
//     e9 rel32                     jump
//     8b /r, 0f 10|28|6f /r        load            8d /r             address, both as disp32(%rip)
//
// Bytes in the middle of an instruction can match by chance. Such a match refers to an address given by four
// random bytes, anywhere in 4 GiB; the caller keeps only references to the start of something of interest,
// which are a few bytes in each mebibyte. `ImageCodeTests` compares the result with llvm-objdump.
//
// Jumps of two bytes are left out: they reach 127 bytes, and linkers do not use them between sections of one
// function each.
//
// An AArch64 instruction is one word, with its kind in fixed bits: B and BL, LDR of a literal, ADR. ADRP,
// which needs a second instruction for the full address, is left out.

import Addresses
import ByteReading

/// An instruction with a PC-relative reference.
struct DistantReference: Hashable {
  enum Kind: Hashable {
    /// The instruction is a call or a jump, conditional or not.
    case branch
    case load
    case address
  }
  var kind: Kind
  /// The address of the instruction, or of the pattern that matches within the instruction.
  var site: StatedAddress
  var target: StatedAddress
}

/// Scans the machine code of one instruction set.
enum CodeScan {
  case x8664
  case aarch64

  /// Calls `body` with each reference in a range of code, ascending.
  ///
  /// - Parameters:
  ///   - range: the range of the code in `bytes`.
  ///   - address: the address of its first byte.
  func forEachReference(
    in bytes: FileBytes, _ range: Range<Int>, at address: StatedAddress,
    _ body: (DistantReference) -> Void
  ) {
    switch self {
    case .x8664: Self.scanX8664(bytes, range, address, body)
    case .aarch64: Self.scanAArch64(bytes, range, address, body)
    }
  }

  private static func reference(
    _ kind: DistantReference.Kind, _ site: StatedAddress, distance: Int64
  ) -> DistantReference {
    DistantReference(
      kind: kind, site: site,
      target: StatedAddress(rawValue: site.rawValue &+ UInt64(bitPattern: distance)))
  }
}

// MARK: x86-64

extension CodeScan {
  private static func scanX8664(
    _ bytes: FileBytes, _ range: Range<Int>, _ address: StatedAddress,
    _ body: (DistantReference) -> Void
  ) {
    var index = range.lowerBound
    while index < range.upperBound {
      let found: (kind: DistantReference.Kind, opcodeBytes: Int)? =
        switch bytes[index] {
        case 0xe8, 0xe9: (.branch, 1)
        case 0x8b: isRelative(bytes, index + 1, range) ? (.load, 2) : nil
        case 0x8d: isRelative(bytes, index + 1, range) ? (.address, 2) : nil
        case 0x0f: afterEscape(bytes, index, range)
        default: nil
        }
      if let found, range.upperBound - index >= found.opcodeBytes + 4 {
        let distance = Int32(
          littleEndian: bytes.loadUnaligned(Int32.self, at: index + found.opcodeBytes))
        let site = StatedAddress(
          rawValue: address.rawValue &+ UInt64(index - range.lowerBound))
        body(reference(found.kind, site, distance: Int64(distance) + Int64(found.opcodeBytes) + 4))
      }
      index += 1
    }
  }

  private static func afterEscape(
    _ bytes: FileBytes, _ index: Int, _ range: Range<Int>
  ) -> (kind: DistantReference.Kind, opcodeBytes: Int)? {
    guard index + 1 < range.upperBound else { return nil }
    switch bytes[index + 1] {
    case 0x80...0x8f: return (.branch, 2)
    case 0x10, 0x28, 0x6f: return isRelative(bytes, index + 2, range) ? (.load, 3) : nil
    default: return nil
    }
  }

  /// Whether the ModRM byte at the index states the operand disp32(%rip).
  private static func isRelative(_ bytes: FileBytes, _ index: Int, _ range: Range<Int>) -> Bool {
    index < range.upperBound && bytes[index] & 0xc7 == 0x05
  }
}

// MARK: AArch64

extension CodeScan {
  /// <https://developer.arm.com/documentation/ddi0602>: B, BL, LDR (literal), ADR.
  private static func scanAArch64(
    _ bytes: FileBytes, _ range: Range<Int>, _ address: StatedAddress,
    _ body: (DistantReference) -> Void
  ) {
    var index = range.lowerBound
    while range.upperBound - index >= 4 {
      let word = UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: index))
      let site = StatedAddress(rawValue: address.rawValue &+ UInt64(index - range.lowerBound))
      if word & 0x7c00_0000 == 0x1400_0000 {
        body(reference(.branch, site, distance: signed(word & 0x3ff_ffff, bits: 26) * 4))
      } else if word & 0x3b00_0000 == 0x1800_0000 {
        body(reference(.load, site, distance: signed(word >> 5 & 0x7ffff, bits: 19) * 4))
      } else if word & 0x9f00_0000 == 0x1000_0000 {
        let distance = (word >> 5 & 0x7ffff) << 2 | word >> 29 & 3
        body(reference(.address, site, distance: signed(distance, bits: 21)))
      }
      index += 4
    }
  }

  private static func signed(_ value: UInt32, bits: UInt32) -> Int64 {
    let sign = UInt32(1) << (bits - 1)
    return Int64(value ^ sign) - Int64(sign)
  }
}
