import Addresses
import ByteReading
import CTraceFormat

/// A trace: all records that the process has written.
package struct TraceFile: Sendable {
  package let bytes: FileBytes
  package let header: TraceHeader
  /// The complete records, ascending by slot. The load of an image that was hit before it could register is
  /// moved before that hit, with the slot of the hit: so a hit always belongs to a loaded image.
  package let records: [TraceRecord]
  /// The number of slots that were claimed but not completed, because the process ended during a hit.
  package let inFlightRecords: Int
  /// The number of slots with records or their contents, complete or not.
  package let slotCount: Int
  /// The names in a sealed trace, with their text still in `bytes`; empty in other traces.
  package let nameTable: [TraceNameEntry]
  /// How much of the code of each image could be recorded, in a sealed trace; without images for which this is unknown.
  package let recordableCode: [TraceRecordableCode]
  /// What the launch was asked to do, in a sealed trace; `nil` if this is unknown.
  package let workload: TraceWorkload?

  /// Reads a trace, even of a process that is running or was killed.
  ///
  /// - Throws: `ParseError` if this is not a trace, or is a truncated copy of a trace.
  /// - Complexity: O(*n*) for *n* slots.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self.bytes = bytes
    var input = ByteCursor(bytes)
    let header = try TraceHeader(parsing: &input)
    self.header = header

    let start = FileOffset(rawValue: UInt64(header.headerSize))
    guard header.headerSize >= input.position.rawValue else {
      throw ParseError(
        .invalid(expected: "at least \(input.position.rawValue)", found: "\(header.headerSize)"),
        "header_size", at: FileOffset(rawValue: 12))
    }
    let slots = min(header.nextRecord, header.capacity)
    let (size, overflow) = slots.multipliedReportingOverflow(by: UInt64(TraceRecord.size))
    let range = try bytes.range(offset: start, size: overflow ? .max : size, "records")
    slotCount = Int(slots)
    (records, inFlightRecords) = try Self.readRecords(bytes, in: range)
    nameTable = try TraceNameEntry.readAll(bytes, header)
    recordableCode = try TraceRecordableCode.readAll(bytes, header)
    workload = try TraceWorkload.read(bytes, header)
  }

  /// Copies of the names in `nameTable`.
  package var names: [TraceName] {
    nameTable.map {
      TraceName(
        image: UInt64($0.image), address: $0.address, size: $0.size == 0 ? nil : $0.size,
        name: bytes.copy($0.text))
    }
  }

  private static func readRecords(
    _ bytes: FileBytes, in range: ByteRange
  ) throws(ParseError) -> ([TraceRecord], inFlight: Int) {
    let size = TraceRecord.size
    let kindOffset = MemoryLayout<orderfile_record>.offset(of: \.kind) ?? 36
    let count = range.byteCount / size
    let start = range.indices.lowerBound
    func kind(_ slot: Int) -> UInt32 {
      bytes.loadUnaligned(UInt32.self, at: start + slot * size + kindOffset)
    }

    var records: [TraceRecord] = []
    // Empty slots are not stored, because each would take 40 bytes.
    records.reserveCapacity(min(count, 1 << 16))
    var inFlight = 0
    var loads: UInt64 = 0
    var slot = 0
    while slot < count {
      let here = slot
      slot += 1
      switch kind(here) {
      case ORDERFILE_RECORD_NONE:
        // A trace whose process was killed may claim millions of slots that no block of the file holds.
        let empty = (bytes.endOfHole(at: start + here * size) - start) / size - here
        slot += max(0, min(empty, count - here) - 1)
        inFlight += slot - here
      case ORDERFILE_RECORD_CONTENT: break
      case ORDERFILE_RECORD_UNUSED:
        let run = bytes.loadUnaligned(UInt64.self, at: start + here * size)
        slot += Int(min(run, UInt64(count - here))) - (run > 0 ? 1 : 0)
      default:
        var contentEnd = slot
        if kind(here) == ORDERFILE_RECORD_LOAD { loads += 1 }
        guard loads <= ParsingLimits.traceImages else {
          throw ParseError(
            .tooLarge(limit: ParsingLimits.traceImages, found: loads), "number of load records",
            at: FileOffset(rawValue: UInt64(start + here * size)))
        }
        while contentEnd < count, kind(contentEnd) == ORDERFILE_RECORD_CONTENT { contentEnd += 1 }
        records.append(
          try readRecord(bytes, at: start + here * size, slot: here, contents: slot..<contentEnd))
        slot = contentEnd
      }
    }
    func key(_ record: TraceRecord) -> (slot: Int, rank: Int) {
      if case .load = record.event { return (record.slot, 0) }
      return (record.slot, 1)
    }
    if zip(records, records.dropFirst()).contains(where: { key($0) > key($1) }) {
      records.sort { key($0) < key($1) }
    }
    return (records, inFlight)
  }

  /// Reads the record at `offset`; `contents` are the slots with its content.
  private static func readRecord(
    _ bytes: FileBytes, at offset: Int, slot: Int, contents: Range<Int>
  ) throws(ParseError) -> TraceRecord {
    let subject = bytes.loadUnaligned(UInt64.self, at: offset)
    // The C structure has a union here.
    let second = bytes.loadUnaligned(UInt64.self, at: offset + 8)
    let entry = bytes.loadUnaligned(UInt64.self, at: offset + 16)
    let ticks = bytes.loadUnaligned(UInt64.self, at: offset + 24)
    let thread = bytes.loadUnaligned(UInt32.self, at: offset + 32)
    let kind = bytes.loadUnaligned(UInt32.self, at: offset + 36)

    func content(_ field: String) throws(ParseError) -> [UInt8] {
      let room = UInt64(contents.count) * UInt64(ORDERFILE_CONTENT_BYTES)
      guard second <= room else {
        throw ParseError(
          .truncated(needed: second, found: room), field,
          at: FileOffset(rawValue: UInt64(offset)))
      }
      var content: [UInt8] = []
      content.reserveCapacity(Int(second))
      for index in contents.indices where content.count < Int(second) {
        let from = offset + (1 + index - contents.lowerBound) * TraceRecord.size
        let take = min(Int(ORDERFILE_CONTENT_BYTES), Int(second) - content.count)
        content += bytes.copy(from..<from + take)
      }
      return content
    }

    let event: TraceRecord.Event
    switch kind {
    case ORDERFILE_RECORD_FUNCTION:
      event = .function(
        guard: LoadedAddress(rawValue: subject), returnAddress: LoadedAddress(rawValue: second),
        entry: entry == 0 ? nil : LoadedAddress(rawValue: entry))
    case ORDERFILE_RECORD_BLOCK: event = .block(LoadedAddress(rawValue: entry), size: second)
    case ORDERFILE_RECORD_DATA:
      event = .data(
        LoadedAddress(rawValue: entry), size: second, image: subject == 0 ? nil : subject)
    case ORDERFILE_RECORD_MARK: event = .mark(name: try content("mark"))
    case ORDERFILE_RECORD_LOAD:
      event = .load(image: subject, try TraceImageRecord(content: try content("load")))
    case ORDERFILE_RECORD_EXEC: event = .exec(path: try content("exec"))
    case ORDERFILE_RECORD_UNLOAD: event = .unload(image: subject)
    case ORDERFILE_RECORD_NAME:
      event = .name(LoadedAddress(rawValue: subject), name: try content("name"))
    default: event = .other(kind: kind)
    }
    // A load record states where the hits of its image begin: 1 + slot, or 0 if they all follow it.
    let isEarly = kind == ORDERFILE_RECORD_LOAD && entry > 0 && entry <= UInt64(slot)
    return TraceRecord(
      slot: isEarly ? Int(entry) - 1 : slot, ticks: ticks, thread: thread == 0 ? nil : thread,
      event: event)
  }
}
