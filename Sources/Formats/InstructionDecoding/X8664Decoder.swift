// The sizes and addresses of x86-64 instructions
//
//     legacy prefixes   66 67 f2 f3 f0 2e 36 3e 26 64 65, any number
//     REX               40-4f; or VEX c4, c5 or EVEX 62, which also contain the map
//     opcode            1 byte, or after 0f, 0f 38, 0f 3a
//     ModRM             operands: a register or memory; may be followed by SIB and a displacement of 1 or 4 bytes
//     immediate         0, 1, 2, 4 or 8 bytes
//
// Tables below say which opcodes have ModRM and immediates. The displacement of a memory operand without registers is
// relative to the address of the next instruction; so are the targets of jumps and calls.
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A.
//
// AMD's XOP and 3DNow! are not decoded, nor are instructions that do not exist in 64-bit mode.

import Addresses
import ImageModel

/// Decodes the x86-64 instructions of a run of code, one after the other.
struct X8664Decoder {
  private let code: [UInt8]
  private let address: StatedAddress
  private let absolute: AddressRange?
  private var index = 0

  init(_ code: [UInt8], at address: StatedAddress, absolute: AddressRange?) {
    self.code = code
    self.address = address
    self.absolute = absolute
  }

  var isAtEnd: Bool { index >= code.count }

  /// The prefixes and the opcode of an instruction.
  private struct Head {
    var hasOperandSize = false
    var hasAddressSize = false
    var repeats: UInt8 = 0
    var isWide = false
    /// 0 for opcodes of one byte, 1 after 0f, 2 after 0f 38, 3 after 0f 3a; other maps have EVEX.
    var map = 0
    var isVEX = false
    var opcode: UInt8 = 0

    /// The size of an immediate that has the size of the operand, but at most 4 bytes.
    var wordSize: Int { hasOperandSize && !isWide ? 2 : 4 }
  }

  /// The next instruction; `nil` if it is unknown or incomplete.
  mutating func next() -> DecodedInstruction? {
    let start = index
    guard let head = head() else { return nil }
    var modRM: UInt8?
    var relative: Range<Int>?
    var displacement: Range<Int>?
    if hasModRM(head) {
      guard let byte = read() else { return nil }
      modRM = byte
      let (mode, base) = (byte >> 6, byte & 7)
      if mode != 3 {
        var bytes = mode == 1 ? 1 : mode == 2 ? 4 : 0
        if base == 4 {
          guard let sib = read() else { return nil }
          if mode == 0, sib & 7 == 5 { bytes = 4 }
        } else if mode == 0, base == 5 {
          bytes = 4
          relative = index..<index + 4
        }
        if bytes == 4, relative == nil { displacement = index..<index + 4 }
        index += bytes
      }
    }
    let immediate = immediateSize(head, modRM)
    let operand = index..<index + immediate
    index += immediate
    guard index <= code.count else { return nil }
    return instruction(
      head, modRM, start..<index, relative: relative, displacement: displacement, immediate: operand
    )
  }

  private mutating func read() -> UInt8? {
    guard index < code.count else { return nil }
    index += 1
    return code[index - 1]
  }

  private mutating func head() -> Head? {
    var head = Head()
    while let byte = read() {
      switch byte {
      case 0x66: head.hasOperandSize = true
      case 0x67: head.hasAddressSize = true
      case 0xf2, 0xf3: head.repeats = byte
      case 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65: break
      case 0x40...0x4f:
        head.isWide = byte & 8 != 0
        guard let opcode = read() else { return nil }
        return escaped(opcode, &head) ? head : nil
      case 0xc5:
        guard read() != nil, let opcode = read() else { return nil }
        (head.isVEX, head.map, head.opcode) = (true, 1, opcode)
        return head
      case 0xc4, 0x62:
        guard let first = read(), let second = read(), byte == 0xc4 || read() != nil,
          let opcode = read()
        else { return nil }
        head.isVEX = true
        head.isWide = second & 0x80 != 0
        head.map = Int(first & (byte == 0xc4 ? 0x1f : 7))
        head.opcode = opcode
        return 1...6 ~= head.map && head.map != 4 ? head : nil
      default: return escaped(byte, &head) ? head : nil
      }
    }
    return nil
  }

  /// Reads the rest of the opcode that begins with `byte`.
  private mutating func escaped(_ byte: UInt8, _ head: inout Head) -> Bool {
    head.opcode = byte
    guard byte == 0x0f else { return true }
    guard let second = read() else { return false }
    (head.map, head.opcode) = (1, second)
    guard second == 0x38 || second == 0x3a else { return second != 0x0f }
    guard let third = read() else { return false }
    (head.map, head.opcode) = (second == 0x38 ? 2 : 3, third)
    return true
  }

  private func hasModRM(_ head: Head) -> Bool {
    if head.isVEX { return head.map != 1 || head.opcode != 0x77 }
    switch (head.map, head.opcode) {
    case (0, 0x00...0x3f): return head.opcode & 7 < 4
    case (0, 0x63), (0, 0x69), (0, 0x6b), (0, 0x80...0x8f), (0, 0xc0), (0, 0xc1), (0, 0xc6),
      (0, 0xc7),
      (0, 0xd0...0xd3), (0, 0xd8...0xdf), (0, 0xf6), (0, 0xf7), (0, 0xfe), (0, 0xff):
      return true
    case (0, _): return false
    case (1, 0x05...0x09), (1, 0x0b), (1, 0x0e), (1, 0x30...0x37), (1, 0x77), (1, 0x80...0x8f),
      (1, 0xa0...0xa2), (1, 0xa8...0xaa), (1, 0xc8...0xcf):
      return false
    default: return true
    }
  }

  private func immediateSize(_ head: Head, _ modRM: UInt8?) -> Int {
    switch (head.map, head.opcode) {
    case (3, _), (1, 0x70...0x73), (1, 0xc2), (1, 0xc4), (1, 0xc5), (1, 0xc6): return 1
    case (1, 0xa4), (1, 0xac), (1, 0xba): return head.isVEX ? 0 : 1
    case (1, 0x80...0x8f): return head.isVEX ? 0 : 4
    case (0, 0x00...0x3f):
      return head.opcode & 7 == 4 ? 1 : head.opcode & 7 == 5 ? head.wordSize : 0
    case (0, 0x68), (0, 0x69), (0, 0x81), (0, 0xa9), (0, 0xc7): return head.wordSize
    case (0, 0x6a), (0, 0x6b), (0, 0x70...0x7f), (0, 0x80), (0, 0x83), (0, 0xa8), (0, 0xb0...0xb7),
      (0, 0xc0), (0, 0xc1), (0, 0xc6), (0, 0xcd), (0, 0xe0...0xe7), (0, 0xeb):
      return 1
    case (0, 0xa0...0xa3): return head.hasAddressSize ? 4 : 8
    case (0, 0xb8...0xbf): return head.isWide ? 8 : head.wordSize
    case (0, 0xc2), (0, 0xca): return 2
    case (0, 0xc8): return 3
    case (0, 0xe8), (0, 0xe9): return 4
    case (0, 0xf6): return (modRM ?? 0) & 0x30 == 0 ? 1 : 0
    case (0, 0xf7): return (modRM ?? 0) & 0x30 == 0 ? head.wordSize : 0
    default: return 0
    }
  }

  private func kind(_ head: Head, _ modRM: UInt8?) -> DecodedInstruction.Kind {
    guard !head.isVEX else { return .plain }
    let operation = (modRM ?? 0) >> 3 & 7
    return switch (head.map, head.opcode) {
    case (0, 0xe8): .call
    case (0, 0xe9), (0, 0xeb): .jump
    case (0, 0x70...0x7f), (0, 0xe0...0xe3), (1, 0x80...0x8f): .conditionalJump
    case (0, 0xff) where operation == 2: .indirectCall
    case (0, 0xff) where operation == 4: .indirectJump
    case (0, 0xc2), (0, 0xc3), (0, 0xca), (0, 0xcb): .return
    case (0, 0xf4), (0, 0xcc), (1, 0x0b): .trap
    case (0, 0x90): head.repeats == 0 ? .padding : .plain
    case (1, 0x1f): .padding
    default: .plain
    }
  }

  /// Whether the bits 3 to 5 of ModRM are a part of the opcode.
  private func isGroup(_ head: Head) -> Bool {
    guard !head.isVEX else { return false }
    return switch (head.map, head.opcode) {
    case (0, 0x80...0x83), (0, 0xc0), (0, 0xc1), (0, 0xc6), (0, 0xc7), (0, 0xd0...0xd3),
      (0, 0xd8...0xdf), (0, 0xf6), (0, 0xf7), (0, 0xfe), (0, 0xff), (1, 0x00), (1, 0x01), (1, 0x18),
      (1, 0x71...0x73), (1, 0xae), (1, 0xba), (1, 0xc7):
      true
    default: false
    }
  }

  private func instruction(
    _ head: Head, _ modRM: UInt8?, _ bytes: Range<Int>, relative: Range<Int>?,
    displacement: Range<Int>?, immediate: Range<Int>
  ) -> DecodedInstruction {
    let kind = kind(head, modRM)
    var target: StatedAddress?
    var masked = [relative].compactMap { $0 }
    if kind == .call || kind == .jump || kind == .conditionalJump {
      target = self.target(immediate, endOf: bytes)
      masked.append(immediate)
    } else if let relative, head.map == 0, head.opcode == 0x8d {
      target = self.target(relative, endOf: bytes)
    } else {
      masked += [displacement, immediate].compactMap { $0 }.filter(isAbsoluteAddress)
    }
    var opcode = UInt64(head.opcode) | UInt64(head.map) << 8 | UInt64(head.repeats) << 16
    if head.isWide { opcode |= 1 << 24 }
    if head.hasOperandSize { opcode |= 1 << 25 }
    if head.isVEX { opcode |= 1 << 26 }
    if isGroup(head), let modRM { opcode |= UInt64(modRM & 0x38) << 27 }
    var hash = ContentHash()
    for index in bytes {
      hash.combine(masked.contains { $0.contains(index) } ? 0x100 : UInt64(code[index]))
    }
    return DecodedInstruction(
      kind: kind, size: bytes.count, opcode: opcode, target: target, code: hash.value)
  }

  /// The address at a distance from the next instruction.
  private func target(_ distance: Range<Int>, endOf bytes: Range<Int>) -> StatedAddress {
    StatedAddress(
      rawValue: address.rawValue &+ UInt64(bytes.upperBound)
        &+ UInt64(bitPattern: signed(distance)))
  }

  private func signed(_ range: Range<Int>) -> Int64 {
    let value = range.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(code[$1]) }
    return range.count == 1
      ? Int64(Int8(truncatingIfNeeded: value)) : Int64(Int32(truncatingIfNeeded: value))
  }

  /// Whether four or eight bytes are an address in an image that is loaded at its stated addresses.
  private func isAbsoluteAddress(_ range: Range<Int>) -> Bool {
    guard let absolute, range.count >= 4 else { return false }
    let value = range.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(code[$1]) }
    return absolute.contains(StatedAddress(rawValue: value))
  }
}
