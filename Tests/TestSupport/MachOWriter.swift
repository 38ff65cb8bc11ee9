/// Assembles a small 64-bit Mach-O file that no linker here writes: a header, load commands, the contents of the
/// segments, and the data to which commands point.
package struct MachOWriter {
  package struct Section {
    package var name: String
    package var segment: String
    package var flags: UInt32
    /// The offset in bytes from the start of the segment.
    package var offset: UInt64
    /// The size in bytes that the header states, true or not.
    package var size: UInt64

    package init(_ segment: String, _ name: String, flags: UInt32 = 0, offset: UInt64, size: UInt64)
    {
      self.segment = segment
      self.name = name
      self.flags = flags
      self.offset = offset
      self.size = size
    }
  }

  package struct Segment {
    package var name: String
    package var address: UInt64
    /// `vmsize`, in bytes. The bytes after `contents` are zero-fill.
    package var size: UInt64
    package var isExecutable: Bool
    package var contents: [UInt8]
    package var sections: [Section]

    package init(
      _ name: String, address: UInt64, size: UInt64, isExecutable: Bool = false,
      contents: [UInt8] = [], sections: [Section] = []
    ) {
      self.name = name
      self.address = address
      self.size = size
      self.isExecutable = isExecutable
      self.contents = contents
      self.sections = sections
    }
  }

  /// The subtype of the processor; 2 is arm64e.
  package var cpuSubtype: UInt32 = 0
  package var segments: [Segment] = []
  private var commands: [[UInt8]] = []
  private var linkEdit: [(command: UInt32, data: [UInt8])] = []

  package init() {}

  /// Adds a command with `cmd`, `cmdsize` and then `fields`.
  package mutating func addCommand(_ command: UInt32, _ fields: [UInt8]) {
    var writer = ByteWriter()
    writer.write(command)
    writer.write(UInt32(8 + fields.count))
    writer.write(fields)
    commands.append(writer.bytes)
  }

  /// Adds a `linkedit_data_command` and its data.
  package mutating func addLinkEdit(_ command: UInt32, _ data: [UInt8]) {
    linkEdit.append((command, data))
  }

  package func bytes() -> [UInt8] {
    let size =
      segments.reduce(0) { $0 + 72 + 80 * $1.sections.count }
      + commands.reduce(0) { $0 + $1.count } + 16 * linkEdit.count
    var writer = ByteWriter()
    let count = segments.count + commands.count + linkEdit.count
    // MH_MAGIC_64, arm64, MH_EXECUTE
    let header: [UInt32] = [
      0xfeed_facf, 0x0100_000c, cpuSubtype, 2, UInt32(count), UInt32(size), 0, 0,
    ]
    for field in header { writer.write(field) }
    var offset = 32 + size
    for segment in segments {
      write(segment, at: offset, to: &writer)
      offset += segment.contents.count
    }
    for command in commands { writer.write(command) }
    for (command, data) in linkEdit {
      for field in [command, 16, UInt32(offset), UInt32(data.count)] { writer.write(field) }
      offset += data.count
    }
    for segment in segments { writer.write(segment.contents) }
    for (_, data) in linkEdit { writer.write(data) }
    return writer.bytes
  }

  private func write(_ segment: Segment, at offset: Int, to writer: inout ByteWriter) {
    writer.write(0x19 as UInt32)  // LC_SEGMENT_64
    writer.write(UInt32(72 + 80 * segment.sections.count))
    writer.write(name(segment.name))
    for field in [segment.address, segment.size, UInt64(offset), UInt64(segment.contents.count)] {
      writer.write(field)
    }
    let protection: UInt32 = segment.isExecutable ? 5 : 3
    for field in [protection, protection, UInt32(segment.sections.count), 0] {
      writer.write(field)
    }
    for section in segment.sections {
      writer.write(name(section.name))
      writer.write(name(section.segment))
      writer.write(segment.address + section.offset)
      writer.write(section.size)
      let place = UInt32(offset) + UInt32(section.offset)
      for field in [place, 0, 0, 0, section.flags, 0, 0, 0] { writer.write(field) }
    }
  }

  private func name(_ text: String) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: 16 - text.utf8.count)
  }
}
