/// Assembles a small ELF file: header, program headers, the sections' contents, section headers.
///
/// The writer adds section 0 and the table of section names, which is the last section.
package struct ELFWriter {
  package struct Section {
    package var name: String
    package var type: UInt32
    package var flags: UInt64
    package var address: UInt64
    package var contents: [UInt8]
    /// The size in the header; `nil` for the true size.
    package var statedSize: UInt64?
    package var link: UInt32
    package var info: UInt32
    package var entrySize: UInt64
    /// The alignment of the section's offset in the file.
    package var alignment = 8

    package init(
      _ name: String, type: UInt32 = 1, flags: UInt64 = 0, address: UInt64 = 0,
      contents: [UInt8] = [], statedSize: UInt64? = nil, link: UInt32 = 0, info: UInt32 = 0,
      entrySize: UInt64 = 0
    ) {
      self.name = name
      self.type = type
      self.flags = flags
      self.address = address
      self.contents = contents
      self.statedSize = statedSize
      self.link = link
      self.info = info
      self.entrySize = entrySize
    }
  }

  package struct Symbol {
    package var name: String
    /// `st_info`: binding * 16 + type.
    package var info: UInt8
    package var section: UInt16
    package var value: UInt64
    package var size: UInt64

    package init(
      _ name: String, info: UInt8 = 0x12, section: UInt16 = 1, value: UInt64, size: UInt64 = 0
    ) {
      self.name = name
      self.info = info
      self.section = section
      self.value = value
      self.size = size
    }
  }

  package var is64Bit: Bool
  package var isBigEndian: Bool
  package var type: UInt16
  package var machine: UInt16
  package private(set) var sections: [Section] = []
  /// Program headers: type and the index of the section that the segment consists of.
  package var segments: [(type: UInt32, section: Int)] = []
  /// Whether section 0 has the numbers that have no room in the header, as in files with 65,280 sections.
  package var usesExtendedNumbers = false

  package init(
    is64Bit: Bool = true, isBigEndian: Bool = false, type: UInt16 = 3, machine: UInt16 = 62
  ) {
    self.is64Bit = is64Bit
    self.isBigEndian = isBigEndian
    self.type = type
    self.machine = machine
  }

  /// - Returns: the section's index.
  @discardableResult
  package mutating func add(_ section: Section) -> Int {
    sections.append(section)
    return sections.count
  }

  /// Adds code of `size` bytes at `address`.
  @discardableResult
  package mutating func addText(address: UInt64 = 0x1000, size: Int = 0x100) -> Int {
    addText(address: address, code: [UInt8](repeating: 0xc3, count: size))
  }

  @discardableResult
  package mutating func addText(address: UInt64 = 0x1000, code: [UInt8]) -> Int {
    add(Section(".text", flags: 6, address: address, contents: code))
  }

  /// Adds a symbol table and, after it, its names.
  package mutating func addSymbols(_ symbols: [Symbol], isDynamic: Bool = false) {
    var names: [UInt8] = [0]
    var table = ByteWriter(isBigEndian: isBigEndian)
    for symbol in [Symbol("", info: 0, section: 0, value: 0)] + symbols {
      let name = symbol.name.isEmpty ? 0 : UInt32(names.count)
      if !symbol.name.isEmpty { names += Array(symbol.name.utf8) + [0] }
      table.write(name)
      if is64Bit {
        table.write([symbol.info, 0])
        table.write(symbol.section)
        table.write(symbol.value)
        table.write(symbol.size)
      } else {
        table.write(UInt32(symbol.value))
        table.write(UInt32(symbol.size))
        table.write([symbol.info, 0])
        table.write(symbol.section)
      }
    }
    add(
      Section(
        isDynamic ? ".dynsym" : ".symtab", type: isDynamic ? 11 : 2, flags: isDynamic ? 2 : 0,
        contents: table.bytes, link: UInt32(sections.count + 2), entrySize: is64Bit ? 24 : 16))
    add(
      Section(
        isDynamic ? ".dynstr" : ".strtab", type: 3, flags: isDynamic ? 2 : 0, contents: names))
  }

  /// Adds `.note.gnu.build-id`.
  package mutating func addBuildID(_ id: [UInt8]) {
    var note = ByteWriter(isBigEndian: isBigEndian)
    note.write(UInt32(4))
    note.write(UInt32(id.count))
    note.write(UInt32(3))
    note.writeZeroTerminated("GNU")
    note.write(id)
    note.align(to: 4)
    add(Section(".note.gnu.build-id", type: 7, flags: 2, address: 0x200, contents: note.bytes))
  }

  package func bytes() -> [UInt8] {
    let headerSize = is64Bit ? 64 : 52
    let segmentSize = is64Bit ? 56 : 32
    let sectionSize = is64Bit ? 64 : 40
    var sections = sections
    var names: [UInt8] = [0]
    var nameOffsets: [UInt32] = []
    for name in sections.map(\.name) + [".shstrtab"] {
      nameOffsets.append(UInt32(names.count))
      names += Array(name.utf8) + [0]
    }
    sections.append(Section(".shstrtab", type: 3, contents: names))

    var body = ByteWriter(isBigEndian: isBigEndian)
    var offsets: [UInt64] = []
    let bodyStart = headerSize + segmentSize * segments.count
    for section in sections {
      while (bodyStart + body.count) % section.alignment != 0 { body.write([0]) }
      offsets.append(UInt64(bodyStart + body.count))
      body.write(section.contents)
    }
    while (bodyStart + body.count) % 8 != 0 { body.write([0]) }

    var file = ByteWriter(isBigEndian: isBigEndian)
    func word(_ value: UInt64) { file.writeWord(value, is64Bit: is64Bit) }
    file.write([0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, isBigEndian ? 2 : 1, 1, 0])
    file.write([UInt8](repeating: 0, count: 8))
    file.write(type)
    file.write(machine)
    file.write(UInt32(1))
    word(0)  // e_entry
    word(segments.isEmpty ? 0 : UInt64(headerSize))
    word(UInt64(bodyStart + body.count))
    file.write(UInt32(0))  // e_flags
    file.write(UInt16(headerSize))
    file.write(UInt16(segmentSize))
    file.write(usesExtendedNumbers ? 0xffff : UInt16(segments.count))
    file.write(UInt16(sectionSize))
    file.write(usesExtendedNumbers ? 0 : UInt16(sections.count + 1))
    file.write(usesExtendedNumbers ? 0xffff : UInt16(sections.count))

    for segment in segments {
      let section = sections[segment.section - 1]
      file.write(segment.type)
      if is64Bit { file.write(UInt32(4)) }
      word(offsets[segment.section - 1])
      word(section.address)
      word(section.address)
      word(UInt64(section.contents.count))
      word(UInt64(section.contents.count))
      if !is64Bit { file.write(UInt32(4)) }
      word(4)
    }
    file.write(body.bytes)

    file.write(UInt32(0))
    file.write(UInt32(0))
    word(0)
    word(0)
    word(0)
    word(usesExtendedNumbers ? UInt64(sections.count + 1) : 0)
    file.write(usesExtendedNumbers ? UInt32(sections.count) : 0)
    file.write(usesExtendedNumbers ? UInt32(segments.count) : 0)
    word(0)
    word(0)
    for (index, section) in sections.enumerated() {
      file.write(nameOffsets[index])
      file.write(section.type)
      word(section.flags)
      word(section.address)
      word(offsets[index])
      word(section.statedSize ?? UInt64(section.contents.count))
      file.write(section.link)
      file.write(section.info)
      word(section.type == 1 || section.type == 7 ? 4 : 8)
      word(section.entrySize)
    }
    return file.bytes
  }
}
