import Addresses
import ByteReading
import CTraceFormat

/// A name of a recorded function in a sealed trace: `orderfile_trace_name` with its text.
package struct TraceName: Equatable, Sendable {
  /// The number of the image in the trace.
  package var image: UInt64
  package var address: StatedAddress
  /// The size of the function, in bytes; `nil` if it is unknown.
  package var size: UInt64?
  package var name: [UInt8]

  package init(image: UInt64, address: StatedAddress, size: UInt64?, name: [UInt8]) {
    self.image = image
    self.address = address
    self.size = size
    self.name = name
  }

  static let entrySize = MemoryLayout<orderfile_trace_name>.size
}

/// An entry of a sealed trace's table of names, checked, with its text still in the file.
package struct TraceNameEntry: Equatable, Sendable {
  /// The number of the image in the trace.
  package var image: UInt32
  package var address: StatedAddress
  /// The size of the function, in bytes; 0 if it is unknown.
  package var size: UInt64
  /// The range of the name in the file.
  package var text: Range<Int>
}

extension TraceNameEntry {
  private static let offsetOfNameOffset =
    MemoryLayout<orderfile_trace_name>.offset(of: \.name_offset) ?? 24

  /// Reads the table at `names_offset`; empty if the trace is not sealed.
  static func readAll(
    _ bytes: FileBytes, _ header: TraceHeader
  ) throws(ParseError) -> [TraceNameEntry] {
    guard header.flags.contains(.sealed), header.namesCount > 0 else { return [] }
    let table = try bytes.range(offset: header.namesOffset, size: header.namesSize, "names")
    let entrySize = TraceName.entrySize
    guard header.namesCount <= header.namesSize / UInt64(entrySize) else {
      throw ParseError(
        .truncated(
          needed: header.namesCount.multipliedReportingOverflow(by: UInt64(entrySize)).partialValue,
          found: header.namesSize), "names_count", at: header.namesOffset)
    }
    var names: [TraceNameEntry] = []
    names.reserveCapacity(Int(header.namesCount))
    // Names do not share text, so the text of all names fits the table: no more is ever copied.
    var room = header.namesSize
    let tableStart = table.indices.lowerBound
    // There are many names, and their number is checked: they are read without a cursor.
    for place in 0..<Int(header.namesCount) {
      let start = tableStart + place * entrySize
      let entry = bytes.loadUnaligned(orderfile_trace_name.self, at: start)
      let (offset, size) = (entry.name_offset, UInt64(entry.name_size))
      let position = FileOffset(rawValue: UInt64(start + offsetOfNameOffset))
      guard offset <= header.namesSize, size <= header.namesSize - offset, size <= room else {
        throw ParseError(
          .invalid(
            expected: "text inside the table of \(header.namesSize) bytes",
            found: "\(size) bytes at \(hexadecimal(offset))"), "name.name_offset", at: position)
      }
      room -= size
      let text = tableStart + Int(offset)..<tableStart + Int(offset + size)
      // Bytes that were never written, or were lost with the end of a file system's journal, are zero.
      if text.isEmpty || bytes.firstIndex(of: 0, in: text) != nil {
        throw ParseError.zeroBytes("name", at: position, found: text.isEmpty ? "none" : nil)
      }
      names.append(
        TraceNameEntry(
          image: entry.image, address: StatedAddress(rawValue: entry.address), size: entry.size,
          text: text))
    }
    return names
  }
}

extension ParseError {
  /// The error about a name with zero bytes, or without any bytes.
  static func zeroBytes(
    _ field: StaticString, at offset: FileOffset, found: String? = nil
  ) -> ParseError {
    ParseError(
      .invalid(expected: "a name without zero bytes", found: found ?? "zero bytes"), "\(field)",
      at: offset)
  }
}
