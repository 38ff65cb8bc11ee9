// The content of the blocks of an image
//
// The content of a block is what stays the same when the linker places the code elsewhere. So the code is decoded as
// far as necessary to find addresses in it (`InstructionSet`). Addresses of called functions become names; other
// addresses do not count.
//
// The jumps at the end of a block are not a part of its content. A compiler that splits a function, or places its
// blocks in another sequence, adds and removes these jumps, and turns conditions around. The successors to which they
// lead are the same.
//
// Where code can't be decoded, the compiler's hashes of the map of blocks are the content (clang 22).

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// Reads the contents of the blocks of functions of one ELF image.
package struct BlockContents {
  private let map: BlockMap
  private let layout: Layout
  private let bytes: FileBytes
  private let instructions: InstructionSet?
  /// The sections with code, ascending by address.
  private let code: [ELFSection]
  /// The addresses of the image, if it is loaded at its stated addresses.
  private let absolute: AddressRange?
  private let linkageTables: [AddressRange]

  /// - Returns: `nil` unless `bytes` is an ELF file.
  package init?(of bytes: FileBytes, in layout: Layout, _ map: BlockMap) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return nil }
    self.map = map
    self.layout = layout
    self.bytes = bytes
    instructions =
      switch (file.header.machine, file.header.endianness) {
      case (.x8664, .little): .x8664
      case (.aarch64, .little): .aarch64
      default: nil
      }
    code = file.sections.filter {
      $0.flags.contains(.executable) && $0.type != .noBits && $0.range.size > 0
    }.sorted { $0.range.start < $1.range.start }
    let loaded = file.segments.filter { $0.type == .load }.map(\.range)
    absolute =
      if file.header.type != .sharedObject, let start = loaded.map(\.start).min(),
        let end = loaded.map(\.end).max(), start < end
      {
        AddressRange(start: start, size: end - start)
      } else {
        nil
      }
    linkageTables = layout.sections.filter(\.isLinkageTable).map(\.range)
  }

  /// Returns the contents of the blocks of `function`, in the order of the map.
  ///
  /// - Complexity: O(*b* log *n*) on average for *b* bytes and blocks of the function, and *n* functions.
  package func contents(of function: BlockMap.Function) -> [BlockContent] {
    let blocks = Array(map.blocks(of: function))
    var places: [StatedAddress: Int] = [:]
    // If an empty block and the next block begin at the same address, the empty block is the target of jumps.
    for (index, block) in blocks.enumerated() where places[block.start] == nil {
      places[block.start] = index
    }
    let stated = map.blockHashes(of: function).map(Array.init)
    return blocks.indices.map { index in
      let next = index + 1
      let isAdjacent = next < blocks.count && blocks[next].start == blocks[index].range.end
      var content =
        content(of: blocks[index], places, next: isAdjacent ? next : nil) ?? BlockContent()
      content.id = blocks[index].id
      content.isLandingPad = blocks[index].isLandingPad
      if content.code == nil, let stated {
        // 16 bits each for the offset, the opcodes, the instructions and the neighbors, the lowest first.
        (content.code, content.opcodes) = (
          stated[index] >> 16 & 0xffff_ffff, stated[index] >> 16 & 0xffff
        )
      }
      return content
    }
  }

  /// Returns the functions that the code in `range` calls or jumps to, by their first addresses. On x86-64, also
  /// functions whose address it computes from its own address.
  ///
  /// - Complexity: O(*b* log *n*) for *b* bytes of code and *n* functions.
  package func functions(usedBy range: AddressRange) -> [StatedAddress] {
    guard let instructions, let place = place(of: range) else { return [] }
    var found: [StatedAddress] = []
    _ = instructions.forEachInstruction(
      in: bytes.copy(place), at: range.start, absolute: absolute
    ) { instruction in
      guard let target = instruction.target, !layout.functions(at: target).isEmpty else { return }
      found.append(target)
    }
    return found
  }

  /// Returns the content of a block; `nil` if its code can't be decoded.
  private func content(
    of block: BlockMap.Block, _ places: [StatedAddress: Int], next: Int?
  ) -> BlockContent? {
    guard let instructions, let place = place(of: block.range) else { return nil }
    var found: [DecodedInstruction] = []
    let isKnown = instructions.forEachInstruction(
      in: bytes.copy(place), at: block.start, absolute: absolute
    ) { if $0.kind != .padding { found.append($0) } }
    guard isKnown else { return nil }
    var content = BlockContent()
    var isOpen = block.fallsThrough
    while let last = found.last, last.isJump {
      if let target = last.target, let successor = places[target] {
        content.successors.append(successor)
      } else if last.kind == .jump {
        // A jump to another function is a call at the end.
        break
      } else {
        content.returns = true
      }
      if last.kind == .jump { isOpen = false }
      found.removeLast()
    }
    if let kind = found.last?.kind {
      if kind == .return || kind == .trap || kind == .jump || kind == .indirectJump {
        isOpen = false
      }
      if kind == .return || kind == .jump { content.returns = true }
    }
    if isOpen, let next { content.successors.append(next) }
    content.jumpsIndirectly = found.last?.kind == .indirectJump
    var (code, opcodes, calls) = (ContentHash(), ContentHash(), ContentHash())
    var hasCalls = false
    for instruction in found {
      opcodes.combine(instruction.opcode)
      code.combine(instruction.code)
      guard instruction.kind == .call || instruction.kind == .jump, let target = instruction.target
      else {
        continue
      }
      let name = name(of: target)
      code.combine(name)
      calls.combine(name)
      hasCalls = true
    }
    (content.code, content.opcodes) = (code.value, opcodes.value)
    content.calls = hasCalls ? calls.value : nil
    return content
  }

  /// A hash of the first name of the function at `address`. All entries of linkage tables have the same hash.
  private func name(of address: StatedAddress) -> UInt64 {
    var hash = ContentHash()
    if linkageTables.contains(where: { $0.contains(address) }) {
      hash.combine(1)
      return hash.value
    }
    let names = layout.functions(at: address).lazy.prefix(Self.mostNames).map {
      layout.name(of: layout.functions[$0])
    }
    guard let name = names.min() else { return hash.value }
    for byte in name.bytes { hash.combine(UInt64(byte)) }
    return hash.value
  }

  /// The number of names of a function that are compared.
  private static let mostNames = 16

  /// The range of code in the file; `nil` unless all of it is in one section.
  private func place(of range: AddressRange) -> Range<Int>? {
    let next = code.partitioningIndex { $0.range.start > range.start }
    guard next > 0, case let section = code[next - 1], range.end <= section.range.end,
      let file = try? bytes.range(offset: section.offset, size: section.size, "sh_size")
    else { return nil }
    let start = file.indices.lowerBound + Int(range.start.rawValue - section.range.start.rawValue)
    return start..<start + Int(range.size)
  }
}
