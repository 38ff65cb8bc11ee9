import Addresses
import ByteReading
import CTraceFormat

extension TraceFile {
  /// The data that sealing adds to a finished trace, in addition to the names.
  package struct Seal: Sendable {
    /// The start of the process in nanoseconds since boot, if the launcher saw it.
    package var processStart: UInt64?
    /// The present values of the counter and the clock: a long baseline makes the conversion of ticks exact.
    package var lastPair: TraceHeader.ClockPair?
    /// What the launch was asked to do; `nil` if the launcher does not state it.
    package var workload: TraceWorkload?

    package init(
      processStart: UInt64? = nil, lastPair: TraceHeader.ClockPair? = nil,
      workload: TraceWorkload? = nil
    ) {
      self.processStart = processStart
      self.lastPair = lastPair
      self.workload = workload
    }
  }

  /// The bytes of this trace, truncated to the slots in use, with tables at the end: names, how much code could be
  /// recorded, and what the launch was asked to do.
  ///
  /// Incomplete slots stay, so that a sealed trace reports the same losses.
  ///
  /// - Parameters:
  ///   - names: in any order; written ascending by image, address and name, each once.
  ///   - recordable: the recordable code of each image for which it is known, in the order of the images.
  package func sealed(
    _ seal: Seal, names: [TraceName], recordable: [TraceRecordableCode] = []
  ) -> [UInt8] {
    let names = Self.sortedUnique(names)
    var output = bytes.copy(0..<Int(header.headerSize))
    output += bytes.copy(
      Int(header.headerSize)..<Int(header.headerSize) + slotCount * TraceRecord.size)
    let tableStart = output.count

    var textOffset = UInt64(names.count * TraceName.entrySize)
    for name in names {
      output.append(littleEndian: UInt32(truncatingIfNeeded: name.image))
      output.append(littleEndian: UInt32(name.name.count))
      output.append(littleEndian: name.address.rawValue)
      output.append(littleEndian: name.size ?? 0)
      output.append(littleEndian: textOffset)
      textOffset += UInt64(name.name.count)
    }
    for name in names { output += name.name }
    let namesEnd = output.count
    for code in recordable { code.append(to: &output) }
    let recordableEnd = output.count
    seal.workload?.append(to: &output)

    output.storeHeader(header.flags.union(.sealed).rawValue, at: \.flags)
    output.storeHeader(UInt64(slotCount), at: \.capacity)
    output.storeHeader(UInt64(slotCount), at: \.next_record)
    output.storeHeader(UInt64(tableStart), at: \.names_offset)
    output.storeHeader(UInt64(names.count), at: \.names_count)
    output.storeHeader(UInt64(namesEnd - tableStart), at: \.names_size)
    output.storeHeader(recordable.isEmpty ? 0 : UInt64(namesEnd), at: \.recordable_offset)
    output.storeHeader(UInt64(recordable.count), at: \.recordable_count)
    output.storeHeader(UInt64(recordableEnd - namesEnd), at: \.recordable_size)
    output.storeHeader(seal.workload == nil ? 0 : UInt64(recordableEnd), at: \.workload_offset)
    output.storeHeader(UInt64(output.count - recordableEnd), at: \.workload_size)
    if let start = seal.processStart {
      output.storeHeader(start, at: \.process_start)
      output.storeHeader(UInt64(1), at: \.start_resolution)
    }
    if let pair = seal.lastPair {
      output.storeHeader(pair.ticks, at: \.last_pair.ticks)
      output.storeHeader(pair.nanoseconds, at: \.last_pair.nanoseconds)
    }
    return output
  }

  private static func sortedUnique(_ names: [TraceName]) -> [TraceName] {
    let sorted = names.sorted { a, b in
      if a.image != b.image { return a.image < b.image }
      if a.address != b.address { return a.address < b.address }
      if a.name != b.name { return a.name.lexicographicallyPrecedes(b.name) }
      return a.size ?? 0 < b.size ?? 0
    }
    var unique: [TraceName] = []
    unique.reserveCapacity(sorted.count)
    for name in sorted where unique.last != name { unique.append(name) }
    return unique
  }
}
