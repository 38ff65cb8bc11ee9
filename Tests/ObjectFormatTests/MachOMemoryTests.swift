import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct MachOMemoryTests {
  @Test(
    .needs(.appleSDK, "llvm-nm-19"),
    arguments: AppleFile.images.filter { !$0.linkerFlags.contains("-no_fixup_chains") })
  func chainedPointersAreWhatObjdumpReads(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let memory = try MachOMemory(MachOFile(parsing: FileBytes(try input.bytes())))
    // segment section address pointer type addend [dylib] symbol-or-address
    let lines = try judge("llvm-objdump-19", ["--macho", "--dyld-info", path]).split(
      separator: "\n")
    var count = 0
    for fields in lines.map({ $0.split(separator: " ").map(String.init) }) {
      guard fields.count >= 6, let slot = address(fields[2]), let last = fields.last else {
        continue
      }
      let expected: MachOPointer? =
        fields[4] == "bind" ? .bound : address(last).map { .address($0) }
      #expect(memory.pointer(at: slot) == expected, "\(slot)")
      count += 1
    }
    #expect(count > 20)
    withExtendedLifetime(folder) {}
  }

  @Test(
    .needs(.appleSDK, "llvm-nm-19"),
    arguments: AppleFile.images.filter { $0.linkerFlags.contains("-no_fixup_chains") })
  func slotsThatRebaseOpcodesNameHoldAddressesAndBoundOnesZero(_ input: AppleFile) throws {
    let (path, folder) = try input.write()
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let memory = try MachOMemory(file)
    let rebased = try judge("llvm-objdump-19", ["--macho", "--rebase", path])
    let bound = try judge("llvm-objdump-19", ["--macho", "--bind", path])
    func slots(_ text: String) -> [StatedAddress] {
      text.split(separator: "\n").compactMap {
        let fields = $0.split(separator: " ")
        return fields.count < 4 ? nil : address(String(fields[2]))
      }
    }
    for slot in slots(rebased) {
      guard case .address(let target)? = memory.pointer(at: slot) else {
        Issue.record("\(slot) holds \(String(describing: memory.pointer(at: slot)))")
        continue
      }
      #expect(file.segments.contains { $0.range.contains(target) }, "\(slot)")
    }
    for slot in slots(bound) { #expect(memory.pointer(at: slot) == .null, "\(slot)") }
    #expect(slots(rebased).count > 20 && slots(bound).count > 3)
    withExtendedLifetime(folder) {}
  }

  private func address(_ text: String) -> StatedAddress? {
    guard text.hasPrefix("0x") else { return nil }
    return UInt64(text.dropFirst(2), radix: 16).map(StatedAddress.init(rawValue:))
  }

  /// An image at 0x100000000 whose `__DATA`, at 0x100004000, holds `slots` in `format`; `nil` makes an image without
  /// fixups.
  static func memory(
    _ slots: [UInt64], format: UInt16?, cpuSubtype: UInt32 = 0
  ) throws -> MachOMemory {
    var writer = MachOWriter()
    writer.cpuSubtype = cpuSubtype
    var data = ByteWriter()
    for slot in slots { data.write(slot) }
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x4000, isExecutable: true),
      .init("__DATA", address: 0x1_0000_4000, size: 0x4000, contents: data.bytes),
    ]
    if let format { writer.addLinkEdit(0x8000_0034, chainedFixups([nil, format])) }
    return try MachOMemory(MachOFile(parsing: FileBytes(writer.bytes())))
  }

  /// A `dyld_chained_fixups_header`, `dyld_chained_starts_in_image`, and one `..._in_segment` for each of
  /// `formats`, `nil` for none.
  static func chainedFixups(_ formats: [UInt16?], version: UInt32 = 0) -> [UInt8] {
    var writer = ByteWriter()
    for field in [version, 28, 0, 0, 0, 1, 0] as [UInt32] { writer.write(field) }
    writer.write(UInt32(formats.count))
    let first = UInt32(4 + 4 * formats.count)
    for (index, format) in formats.enumerated() {
      writer.write(format == nil ? 0 : first + 24 * UInt32(index))
    }
    for format in formats {
      writer.write(24 as UInt32)
      writer.write(0x4000 as UInt16)
      writer.write(format ?? 0)
      for field in [0, 0, 0, 0] as [UInt32] { writer.write(field) }
    }
    return writer.bytes
  }

  /// The bits are those of `fixup-chains.h`; each slot's distance to the next is 1, in its format's place.
  @Test(
    arguments: [
      // DYLD_CHAINED_PTR_64: an address, one with tag 0x80, a bind
      (2, 0x0008_0001_0000_4010, 0x1_0000_4010), (2, 0x0008_0801_0000_4010, 0x8000_0001_0000_4010),
      (2, 0x8008_0000_0000_0001, nil),
      // DYLD_CHAINED_PTR_64_OFFSET
      (6, 0x0008_0000_0000_4010, 0x1_0000_4010), (6, 0x0008_0800_0000_4010, 0x8000_0001_0000_4010),
      (6, 0x8008_0000_0000_0001, nil),
      // DYLD_CHAINED_PTR_ARM64E: an address, one with tag 0x80, a signed one, a bind, a signed bind
      (1, 0x0008_0001_0000_4010, 0x1_0000_4010), (1, 0x000c_0001_0000_4010, 0x8000_0001_0000_4010),
      (1, 0x8009_c31a_0000_4010, 0x1_0000_4010), (1, 0x4008_0000_0000_0003, nil),
      (1, 0xc009_c31a_0000_0003, nil),
      // DYLD_CHAINED_PTR_ARM64E_FIRMWARE
      (10, 0x0008_0001_0000_4010, 0x1_0000_4010), (10, 0x8009_c31a_0000_4010, 0x1_0000_4010),
      // DYLD_CHAINED_PTR_ARM64E_KERNEL, _USERLAND, _USERLAND24
      (7, 0x0008_0000_0000_4010, 0x1_0000_4010), (7, 0x8009_c31a_0000_4010, 0x1_0000_4010),
      (9, 0x0008_0000_0000_4010, 0x1_0000_4010), (9, 0x000c_0000_0000_4010, 0x8000_0001_0000_4010),
      (9, 0x8009_c31a_0000_4010, 0x1_0000_4010), (9, 0x4008_0000_0000_0003, nil),
      (12, 0x0008_0000_0000_4010, 0x1_0000_4010), (12, 0x8009_c31a_0000_4010, 0x1_0000_4010),
      (12, 0x4008_0000_0012_3456, nil), (12, 0xc009_c31a_0012_3456, nil),
      // No fixups
      (nil, 0x1_0000_4010, 0x1_0000_4010),
    ] as [(UInt16?, UInt64, UInt64?)])
  func eachFormatIsDecoded(format: UInt16?, stored: UInt64, target: UInt64?) throws {
    let memory = try Self.memory([stored, 0], format: format)
    let expected = target.map { MachOPointer.address(StatedAddress(rawValue: $0)) } ?? .bound
    #expect(memory.pointer(at: StatedAddress(rawValue: 0x1_0000_4000)) == expected)
    #expect(memory.pointer(at: StatedAddress(rawValue: 0x1_0000_4008)) == .null)
  }

  /// arm64e's pointers before there was a command that says how they are stored.
  @Test(
    arguments: [
      (0x1_0000_4010, 0x1_0000_4010), (0x0008_0001_0000_4010, 0x1_0000_4010),
      (0x8009_c31a_0000_4010, 0x1_0000_4010),
    ] as [(UInt64, UInt64)])
  func theFirstImagesOfARM64EAreDecoded(stored: UInt64, target: UInt64) throws {
    let memory = try Self.memory([stored], format: nil, cpuSubtype: 2)
    #expect(
      memory.pointer(at: StatedAddress(rawValue: 0x1_0000_4000))
        == .address(StatedAddress(rawValue: target)))
  }

  @Test(arguments: [0, 3, 8, 11, 13, 14, 99] as [UInt16])
  func pointersInAFormatOfAnotherKindOfFileAreUnknown(format: UInt16) throws {
    let memory = try Self.memory([0x1_0000_4010], format: format)
    #expect(memory.pointer(at: StatedAddress(rawValue: 0x1_0000_4000)) == nil)
  }

  @Test(arguments: [0x1_0000_4001, 0x1_0000_4008, 0x1_0000_8000, 0, .max] as [UInt64])
  func whatTheFileDoesNotHoldIsUnknown(address: UInt64) throws {
    let memory = try Self.memory([0x1_0000_4010], format: nil)
    #expect(memory.pointer(at: StatedAddress(rawValue: address)) == nil)
  }

  /// The damaged forms of `chainedFixups`, each with one field changed.
  @Test(
    arguments: [
      (0, 1, "unsupported fixups_version: found 1"),
      (4, 200, "truncated starts_offset: expected 200 bytes, found 88"),
      (28, 3, "invalid seg_count: expected at most 2, found 3"),
      (36, 200, "truncated seg_info_offset: expected 200 bytes, found 60"),
    ] as [(Int, UInt32, String)])
  func damagedFixupsAreNamed(offset: Int, value: UInt32, message: String) throws {
    var fixups = ByteWriter()
    fixups.write(Self.chainedFixups([nil, 2]))
    fixups.overwrite(at: offset, with: value)
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x4000),
      .init("__DATA", address: 0x1_0000_4000, size: 0x4000),
    ]
    writer.addLinkEdit(0x8000_0034, fixups.bytes)
    let file = try MachOFile(parsing: FileBytes(writer.bytes()))
    let error = #expect(throws: ParseError.self) { try MachOMemory(file) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test func anObjectFileHasNoMemory() throws {
    let file = try MachOFile(parsing: FileBytes(MachOWriter().bytes()))
    let error = #expect(throws: ParseError.self) { try MachOMemory(file) }
    #expect(error?.description == "missing __TEXT (at offset 0x0)")
  }
}
