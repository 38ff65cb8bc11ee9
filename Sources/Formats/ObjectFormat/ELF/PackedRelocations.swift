// Relocations as Android packs them. After the letters "APS2" there are only signed LEB128 numbers: the number of
// relocations, an address to start from, and groups of relocations that have something in common:
//
//   size      the relocations of the group
//   flags     1  all have the same r_info             2  all are the same distance from the one before
//             4  all have the same addend             8  they have addends
//   distance  if flag 2
//   r_info    if flag 1
//   addend    if flags 4 and 8: the difference from the addend before
//
// Then each relocation has the values that its group does not state: the distance from the address before, r_info, and
// with flag 8 the difference from the addend before. A group without flag 8 resets the addend to 0.
//
// <https://android.googlesource.com/platform/bionic/+/refs/heads/main/linker/linker_reloc_iterators.h>

import Addresses
import ByteReading

/// Reads a table of Android's packed relocations.
struct PackedRelocations {
  private struct Group {
    var flags: UInt64 = 0
    var distance: UInt64 = 0
    func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

    static let sharesInfo: UInt64 = 1
    static let sharesDistance: UInt64 = 2
    static let sharesAddend: UInt64 = 4
    static let hasAddends: UInt64 = 8
  }

  private var input: ByteCursor
  private let is64Bit: Bool
  private let hasAddend: Bool
  private var address = StatedAddress(rawValue: 0)
  private var info: UInt64 = 0
  private var addend: UInt64 = 0

  /// - Parameter hasAddend: whether the table packs `Elf64_Rela` or `Elf32_Rela`.
  init(in range: ByteRange, of file: ELFFile, hasAddend: Bool) {
    input = ByteCursor(file.bytes, in: range)
    is64Bit = file.header.is64Bit
    self.hasAddend = hasAddend
  }

  /// Calls `body` with each relocation.
  ///
  /// - Parameter budget: loses a byte for each relocation, because a group of any size takes only a few bytes.
  /// - Throws: `invalid` for another version and for groups of more relocations than the table has; `truncated`.
  mutating func forEach(
    _ budget: inout ByteBudget, _ body: (ELFRelocation) -> Void
  ) throws(ParseError) {
    let start = input.position
    let version = try input.read(UInt32.self, "version")
    guard version == 0x3253_5041 else {  // "APS2"
      throw ParseError(
        .invalid(expected: "APS2", found: hexadecimal(UInt64(version))), "packed relocations",
        at: start)
    }
    var remaining = try number()
    address.rawValue = try number()
    while remaining > 0 {
      let place = input.position
      let size = try number()
      guard 1...remaining ~= size else {
        throw ParseError(
          .invalid(expected: "1 to \(remaining)", found: "\(size)"), "relocations of a group",
          at: place)
      }
      try budget.take(Int(clamping: size), "packed relocations", at: place)
      remaining -= size
      let group = try readGroup()
      for _ in 0..<size { body(try readRelocation(of: group)) }
    }
  }

  private mutating func readGroup() throws(ParseError) -> Group {
    var group = Group(flags: try number())
    if group.has(Group.sharesDistance) { group.distance = try number() }
    if group.has(Group.sharesInfo) { info = try number() }
    if !group.has(Group.hasAddends) {
      addend = 0
    } else if group.has(Group.sharesAddend) {
      addend = addend &+ (try number())
    }
    return group
  }

  private mutating func readRelocation(of group: Group) throws(ParseError) -> ELFRelocation {
    let distance = group.has(Group.sharesDistance) ? group.distance : try number()
    let mask: UInt64 = is64Bit ? .max : 0xffff_ffff
    address.rawValue = (address.rawValue &+ distance) & mask
    if !group.has(Group.sharesInfo) { info = try number() }
    if group.has(Group.hasAddends), !group.has(Group.sharesAddend) {
      addend = addend &+ (try number())
    }
    return ELFRelocation(
      address: address, info: info, is64Bit: is64Bit,
      addend: hasAddend ? Int64(bitPattern: addend) : nil)
  }

  private mutating func number() throws(ParseError) -> UInt64 {
    UInt64(bitPattern: try input.readSLEB128("packed relocation"))
  }
}
